/**
 * How fast is a GRPO step of a LoRA adapter beside a pretrained model, against TRL's with PEFT on the same machine?
 *
 *   npm run bench -- lora [--repeats 5] [--quick] [--threads 2] [--model PATH] [--prompts 4] [--completions 8]
 *     [--tokens 8] [--prompt-tokens 96] [--micro-batch 32] [--json FILE]
 *
 * The model is SmolLM2-135M as rlvr-train fetch smollm2 puts it in place, or what --model names: a folder or a .gguf file,
 * which both sides open themselves. Both get the same prompts in the same order, and train an adapter of rank 16 beside all
 * linear layers through their own trainers, in float32: sample, reward, score, go back, clip, AdamW. EOS never ends a
 * completion. --micro-batch is TRL's per_device_train_batch_size; default: all completions at once. Ours is what fits.
 * Before a figure is printed, both must have given a prompt the same log-prob, adapted as many parameters, and trained on
 * live groups of full length.
 */
import { basename, dirname } from 'node:path';
import { rowsOf } from './arithmetic.mjs';
import { describeMachine, fail, machineLine, readFlags, readThreads, THREADS_FLAG, writeJson } from './command.mjs';
import {
  ADAPTER,
  modelGiven,
  openLoraWorkload,
  promptLogprob,
  promptText,
  SMOLLM2,
  trainedParameters,
} from './lora_workload.mjs';
import { findPython, HOW_TO_MAKE, startPeer } from './peers/peer.mjs';
import { race, raceTable, ratioLines, splitOf, summaryOf } from './race.mjs';
import { LEARNING_RATE, stepper } from './workload.mjs';

/** Nats, of a mean over tokens; both compute in float32. */
const LOGPROB_TOLERANCE = 1e-3;
/** Three in four of the ids that SmolLM2 samples after such prompts are below; hardly a group has equal rewards. */
const REWARDED_BELOW = 1000;
/** Steps for which the peer has prompts; it starts again where they end. */
const PEER_STEPS = 64;
/** Each of a side's steps takes seconds. */
const WARMUP = 1;

const flags = readFlags({
  repeats: 5,
  quickRepeats: 1,
  further: {
    ...THREADS_FLAG,
    model: { type: 'string', default: SMOLLM2 },
    prompts: { type: 'string', default: '4' },
    completions: { type: 'string', default: '8' },
    tokens: { type: 'string', default: '8' },
    'prompt-tokens': { type: 'string', default: '96' },
    'micro-batch': { type: 'string' },
  },
});
const { repeats, json } = flags;
const threads = readThreads(flags);
const model = modelGiven(flags.model);
const workload = {
  promptTokens: readCount('prompt-tokens', 2),
  completionTokens: readCount('tokens', 2),
  prompts: readCount('prompts', 1),
  groupSize: readCount('completions', 2),
};
if (workload.completionTokens >= workload.promptTokens)
  fail(`--tokens: ${workload.completionTokens} — use fewer than the ${workload.promptTokens} of a prompt.`);
const completions = workload.prompts * workload.groupSize;
const microBatch = flags['micro-batch'] === undefined ? completions : readCount('micro-batch', 1);
if (!Number.isInteger(completions / microBatch))
  fail(`--micro-batch: ${microBatch} — not a divisor of ${completions} completions; use ${workload.groupSize}.`);

const machine = describeMachine();
const run = await openLoraWorkload(model, workload, { threads, rewardedBelow: REWARDED_BELOW });
let peer;
try {
  peer = await startTrl();
  const step = stepper(run);
  const result = await race({
    ours: async () => rolloutAndRest(await step()),
    theirs: peer && (async () => rolloutAndRest(await peer.ask({}))),
    warmup: WARMUP,
    repeats,
  });
  check(result);
  report(result);
} finally {
  peer?.close();
  await run.engine.policy.close();
}

/** A flag that is a whole number. */
function readCount(name, least) {
  const count = Number(flags[name]);
  if (!Number.isInteger(count) || count < least)
    fail(`--${name}: ${flags[name]} — use a whole number of ${least} or more.`);
  return count;
}

/** The other side over the same files; undefined, with a word about it, where there is no environment. */
async function startTrl() {
  if (findPython() === undefined) {
    process.stderr.write(`${HOW_TO_MAKE}\n`);
    return undefined;
  }
  const expected = { trained: trainedParameters(run), promptLogprob: await promptLogprob(run, workload) };
  const isGguf = model.endsWith('.gguf');
  const started = await startPeer('grpo_step.py', {
    ...workload,
    model: isGguf ? dirname(model) : model,
    gguf: isGguf ? basename(model) : null,
    device: 'cpu',
    adapter: ADAPTER,
    threads,
    prompts: Array.from({ length: PEER_STEPS * workload.prompts }, (_, i) =>
      promptText(run.engine.tasks.trainItem(run.config.seed, i)),
    ),
    completions,
    learningRate: LEARNING_RATE,
    rewardedBelow: REWARDED_BELOW,
    microBatch,
  });
  const { trained, promptLogprob: logprob } = started.hello;
  if (trained !== expected.trained) fail(`TRL trains ${trained} parameters, ours ${expected.trained}.`);
  if (!(Math.abs(logprob - expected.promptLogprob) <= LOGPROB_TOLERANCE))
    fail(
      `the first prompt has a log-prob of ${expected.promptLogprob} here and of ${logprob} in PyTorch: not one model.`,
    );
  return started;
}

/** The rest is verifying, scoring, going back, and the optimizer: what a side needs beside the rollout. */
function rolloutAndRest({ seconds, split: { rollout }, ...turn }) {
  return { ...turn, seconds, split: { rollout, update: seconds - rollout } };
}

function check({ ours, theirs }) {
  const sides = [ours, theirs].filter((side) => side !== undefined);
  for (const { metrics } of sides.flatMap(({ turns }) => turns)) {
    if (metrics.frac_reward_zero_std !== 0 || metrics['completions/mean_length'] !== workload.completionTokens)
      fail(`a step without full work: ${JSON.stringify(metrics)}`);
  }
  const tokens = completions * (workload.promptTokens + workload.completionTokens);
  theirs?.turns.forEach(({ metrics }, i) => {
    if (metrics.num_tokens !== tokens * (i + 1)) fail(`TRL saw ${metrics.num_tokens} tokens by step ${i + 1}.`);
  });
}

/** Their rows: a prompt once a completion, and the last token of each too. */
function rowCounts() {
  return {
    ours: rowsOf(workload).tokens,
    theirs: completions * (workload.promptTokens + workload.completionTokens),
  };
}

function report(result) {
  const { versions } = peer?.hello ?? {};
  const names = {
    ours: `rlvr-train ${machine.package}, wasm`,
    theirs: peer && `TRL ${versions.trl}, PEFT ${versions.peft}, PyTorch ${versions.torch}`,
  };
  const { prompts, promptTokens, groupSize, completionTokens } = workload;
  const rows = rowCounts();
  const trained = trainedParameters(run);
  const ratioOfParts = peer && partRatios(result);
  // Other work on the machine lengthens the seconds; what the processor did for a side stays.
  const cpuRatio = peer && result.theirs.cpuSeconds.median / result.ours.cpuSeconds.median;
  const lines = [
    machineLine(machine),
    `a GRPO step of an adapter (r ${ADAPTER.r}, alpha ${ADAPTER.alpha}, all linear layers: ${(trained / 1e6).toFixed(2)} M parameters) beside ${basename(model)}, float32`,
    `${prompts} prompts of ${promptTokens} tokens × ${groupSize} completions of ${completionTokens}: ${rows.ours} rows here, ${rows.theirs} there; ${microBatch} completions at a time there`,
    `µ 1, beta 0, AdamW, clipping at 1; reward: share of ids below ${REWARDED_BELOW}; no EOS; ${threads} threads a side, ${repeats} repeats in turn`,
    '',
    raceTable(result, names, { count: completions * completionTokens, unit: 'completion tokens/s' }),
    '',
    ...ratioLines(result, names),
    ...(peer
      ? [
          `of it: rollout ${ratioOfParts.rollout.toFixed(2)}×, update ${ratioOfParts.update.toFixed(2)}×; by processor time the step ${cpuRatio.toFixed(2)}×`,
        ]
      : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (json === undefined) return;
  const settings = {
    ...{ model: basename(model), ...workload, adapter: ADAPTER, trainedParameters: trained, rows },
    ...{ threads, learningRate: LEARNING_RATE, rewardedBelow: REWARDED_BELOW, microBatch },
  };
  writeJson(json, 'lora', { machine, peer: versions, settings, ratioOfParts, cpuRatio, ...summaryOf(result) });
}

/** Their median time of each part in units of ours. */
function partRatios({ ours, theirs }) {
  const [mine, other] = [splitOf(ours), splitOf(theirs)];
  return Object.fromEntries(Object.keys(mine).map((part) => [part, other[part] / mine[part]]));
}
