/**
 * Does this trainer learn as TRL's does, from the same weights, on the same problems, with the same settings?
 *
 *   npm run bench -- trl-curve [--seeds 0..2] [--keep FOLDER] [--force] [--quick]
 *
 * The recipe of configs/reverse-text.yaml, smaller: 100 steps of GRPO on words of three to five letters. Our run writes its weights as
 * its GRPO stage begins, and the problems that it asks; TRL's GRPOTrainer begins with these weights and asks those problems
 * in that order. Both are rewarded by our verifier, and both ends are asked all held-out problems by our evaluation. The two
 * differ by the random numbers that completions are drawn with, and by the rounding of their arithmetic. Our optimizer begins
 * the stage without the moments of the supervised one, as TRL's does.
 *
 * A seed that is in bench/results/trl-curve.json, of the same config, is kept. `--keep` leaves TRL's own logs in a folder. One
 * thread a side; it needs the environment of bench/peers/setup.mjs.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { differenceOf } from '../build/packages/compare/statistics.js';
import { createTasks, openRun, train, wasmBackend } from '../build/packages/rlvr-train/index.js';
import { fileStore } from '../build/packages/rlvr-train/node.js';
import { verdictsOf } from '../build/src/data/judging/judged.js';
import { evaluationEvent } from '../build/src/grpo/trainer.js';
import { loadModel, writeModel } from '../build/src/run/model/model_files.js';
import { readFlags, table } from './command.mjs';
import { keptRows, readSeeds } from './kept_rows.mjs';
import { findPython, HOW_TO_MAKE, PeerError, startPeer } from './peers/peer.mjs';
import { mean } from './statistics.mjs';

const CONFIG = 'configs/reverse-text.yaml';
const SMALLER = [
  'task.min_length=3',
  'task.max_length=5',
  'model.hidden_size=64',
  'model.intermediate_size=176',
  'sft.max_steps=250',
  'grpo.max_steps=100',
  'grpo.num_generations=16',
  'grpo.generation_batch_size=128',
  'grpo.lr_scheduler_type=constant',
  'grpo.lr_scheduler_kwargs=null',
  'grpo.warmup_steps=0',
  'grpo.learning_rate=1.0e-3',
  'grpo.loss_type=dapo',
  'grpo.eval_strategy=no',
  'grpo.num_generations_eval=16',
];
/** Steps that a point of the curve is a mean of. */
const WIDTH = 10;

const flags = readFlags({
  further: {
    seeds: { type: 'string', default: '0..2' },
    keep: { type: 'string' },
    force: { type: 'boolean', default: false },
  },
});
if (findPython() === undefined) throw new PeerError(HOW_TO_MAKE);
const { rows, measure } = keptRows('trl-curve', flags, { recipe: CONFIG });
for (const seed of readSeeds(flags.seeds)) {
  const set = [...SMALLER, `seed=${seed}`, ...(flags.quick ? ['grpo.max_steps=3'] : [])];
  await measure(
    { key: `seed ${seed}`, config: CONFIG, set, facts: { seed } },
    (loaded) => bothSides(loaded, seed),
    ({ ours, trl }) => `ours ${percent(mean(ours.end.sampled))}, TRL ${percent(mean(trl.end.sampled))}`,
  );
}
if (!flags.quick) report();

async function bothSides({ config, lineOf }, seed) {
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-curve-'));
  const store = fileStore(folder);
  const tasks = await createTasks(config, flags.quick ? { heldOutSample: 16 } : {});
  const run = await openRun(config, tasks, await wasmBackend({ threads: 1 }), { lineOf });
  try {
    const asked = [];
    const ours = { rewards: [] };
    let start;
    for await (const event of train(run)) {
      if (event.type === 'stage' && event.stage === 'grpo') {
        await writeModel(store, 'model', run.engine.policy, tasks.codec);
        zeroMoments(run.engine.policy);
      }
      if (event.type === 'evaluation' && event.moment === 'baseline') start = solved(event.problems);
      if (event.type === 'evaluation' && event.moment === 'final') ours.end = solved(event.problems);
      if (event.type === 'rollouts') asked.push(...event.collected.groups.map(({ item }) => item));
      if (event.type === 'step' && event.stage === 'grpo') ours.rewards.push(event.metrics.reward);
    }
    const output = flags.keep === undefined ? join(folder, 'trl') : join(resolve(flags.keep), `seed-${seed}`);
    mkdirSync(output, { recursive: true });
    const trl = await trained({ model: join(folder, 'model'), output, seed, config, tasks, asked });
    await loadModel(fileStore(output), 'model.safetensors', run.engine.policy);
    trl.end = solved((await evaluationEvent(run, 'requested')).problems);
    return {
      problems: tasks.heldOutItems().length,
      weights: tasks.heldOutItems().map(({ weight }) => weight),
      start,
      ours,
      trl,
    };
  } finally {
    await run.engine.policy.close();
    rmSync(folder, { recursive: true });
  }
}

/** A stage begins with the moments of the one before it; TRL has those of its own run alone. */
function zeroMoments(policy) {
  const zeros = new Float32Array(policy.slots.weights.trainable.shape[0]);
  for (const moment of ['firstMoment', 'secondMoment']) policy.writeVector(moment, zeros);
}

/** TRL's side: rewards by step. */
async function trained({ model, output, seed, config, tasks, asked }) {
  const [, { batch, optimizer }] = config.stages;
  const { hello, ask, close } = await startPeer('grpo_curve.py', {
    model,
    threads: 1,
    prompts: asked.map(({ prompt }) => prompt),
    completions: batch.completionsPerStep,
    groupSize: batch.numGenerations,
    completionTokens: tasks.maxCompletionTokens,
    steps: optimizer.maxSteps,
    seed,
    learningRate: optimizer.learningRate,
    beta2: optimizer.beta2,
    lossType: 'dapo',
    output,
  });
  const rewards = [];
  const items = new Map(asked.map((item) => [item.prompt, item]));
  try {
    for (let said = await ask({}); !said.isDone; ) {
      const answers = said.completions.map((ids, i) => givenAnswer(items.get(said.prompts[i]), ids, tasks));
      const given = (await verdictsOf(tasks, answers)).map(({ score }) => Number(score === 1));
      rewards.push(mean(given));
      const expected = asked.slice((rewards.length - 1) * batch.promptsPerStep);
      if (said.prompts[0] !== expected[0].prompt)
        throw new Error(`TRL asked ${said.prompts[0]} for ${expected[0].prompt}`);
      said = await ask({ rewards: given });
    }
  } finally {
    close();
  }
  return { versions: hello.versions, rewards };
}

function givenAnswer(item, ids, { codec }) {
  const isEnded = ids.at(-1) === codec.eosTokenId;
  const completion = codec.decode(Int32Array.from(isEnded ? ids.slice(0, -1) : ids));
  return { item, completion, context: { finishReason: isEnded ? 'eos' : 'length' } };
}

/** By problem: whether the greedy answer is right, and the share of samples that are. */
function solved(problems) {
  const isRight = ({ score }) => score === 1;
  return {
    greedy: problems.map(({ greedy }) => Number(isRight(greedy))),
    sampled: problems.map(({ samples }) => samples.filter(isRight).length / samples.length),
  };
}

function report() {
  const seeds = Object.keys(rows);
  const bySeed = Object.values(rows);
  const points = Math.floor(bySeed[0].ours.rewards.length / WIDTH);
  const lines = Array.from({ length: points }, (_, i) => {
    const at = (side) => bySeed.map((row) => [mean(row[side].rewards.slice(i * WIDTH, (i + 1) * WIDTH))]);
    const [ours, trl] = ['ours', 'trl'].map((side) => ({ starts: seeds, values: at(side) }));
    const level = ({ values }) => percent(mean(values.flat()));
    return [`${i * WIDTH + 1}–${(i + 1) * WIDTH}`, level(ours), level(trl), inWords(differenceOf(ours, trl, [1]))];
  });
  process.stdout.write(`\nsolved in training\n${table(['steps', 'ours', 'TRL', 'TRL − ours'], lines)}\n`);
  const ends = ['greedy', 'sampled'].map((figure) => {
    const side = (name) => ({
      starts: seeds,
      values: bySeed.map((row) => row[name].end[figure]),
    });
    const [ours, trl] = [side('ours'), side('trl')];
    const level = ({ values }) => percent(mean(values.map((own) => weighted(own, bySeed[0].weights))));
    const before = bySeed.map(({ start, weights }) => weighted(start[figure], weights));
    return [
      figure,
      percent(mean(before)),
      level(ours),
      level(trl),
      inWords(differenceOf(ours, trl, bySeed[0].weights)),
    ];
  });
  process.stdout.write(`\nheld-out problems\n${table(['', 'start', 'ours', 'TRL', 'TRL − ours'], ends)}\n`);
}

function weighted(values, weights) {
  return mean(values.map((value, i) => value * weights[i])) / mean(weights);
}

function percent(share) {
  return (100 * share).toFixed(1);
}

function inWords({ mean: middle, low, high }) {
  if (Number.isNaN(low)) return percent(middle); // of one seed
  return `${percent(middle)} (${percent(low)} to ${percent(high)})`;
}
