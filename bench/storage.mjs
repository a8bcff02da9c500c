/**
 * What does a base in fewer bits cost and save, and what does it cost to compute layers again?
 *
 *   npm run bench -- storage [--repeats 3] [--quick] [--threads 1] [--model PATH] [--problems 16] [--completions 20]
 *     [--only f32,bf16] [--json FILE]
 *
 * Steps of configs/smollm2.yaml with `--completions` completions, the same problems for all, in turns in one process: the
 * base in float32, in 16, 8 and 4 bits, and in float32 with `gradient_checkpointing`, with keys and values in bf16, or with
 * magnitudes (`use_dora`), or sampling from a copy in 8 bits (`quantised_rollout`). Every completion is as long as the config allows, EOS or not, and its reward is the share of its
 * tokens with low ids: all sides decode the same number of tokens, and none samples a batch again because its answers were
 * all wrong. Before them, the greedy accuracy of each base on `--problems` held-out ones; after them, a hash of the adapter:
 * that beside blocks of a GGUF file is the one beside their values in float32. `load_in_8bit` and `load_in_4bit` leave the
 * blocks of such a file as they are (Q4_1), so what they make of a float checkpoint takes one: `rlvr-train export FILE.gguf --to merged --dtype f32`.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  createTasks,
  openPretrained,
  openRun,
  parseConfig,
  train,
  wasmBackend,
} from '../build/packages/rlvr-train/index.js';
import { findModel } from '../build/packages/rlvr-train/node.js';
import { delegating } from '../build/src/data/task_set.js';
import { plannedMemory } from '../build/src/planning/memory_plan.js';
import { weightsSha256 } from '../build/src/run/model/model_files.js';
import {
  describeMachine,
  fail,
  machineLine,
  readFlags,
  readThreads,
  spread,
  THREADS_FLAG,
  table,
  writeJson,
} from './command.mjs';
import { modelGiven, SMOLLM2 } from './lora_workload.mjs';
import { pause } from './race.mjs';
import { summarize } from './statistics.mjs';
import { lowIds } from './workload.mjs';

const CONFIG = fileURLToPath(new URL('../configs/smollm2.yaml', import.meta.url));
const GROUP = 10;

/** Keys of each side; the first is what the others are compared with. */
const SIDES = {
  f32: [],
  bf16: ['dtype=bfloat16'],
  q8: ['load_in_8bit=true'],
  q4: ['load_in_4bit=true'],
  again: ['gradient_checkpointing=true'],
  keys: ['storage_dtype=bfloat16'],
  dora: ['use_dora=true'],
  copy: [
    'quantised_rollout=true',
    'vllm_importance_sampling_correction=true',
    'vllm_importance_sampling_mode=token_truncate',
  ],
};

const flags = readFlags({
  repeats: 3,
  quickRepeats: 1,
  further: {
    threads: { ...THREADS_FLAG.threads, default: '1' },
    model: { type: 'string', default: SMOLLM2 },
    problems: { type: 'string', default: '16' },
    completions: { type: 'string', default: '20' },
    only: { type: 'string', default: Object.keys(SIDES).join(',') },
  },
});
const threads = readThreads(flags);
const model = modelGiven(flags.model);
const [problems, completions] = [Number(flags.problems), Number(flags.completions)];
if (!Number.isInteger(problems) || problems < 1)
  fail(`--problems: ${flags.problems} — use a whole number of 1 or more.`);
if (!Number.isInteger(completions / GROUP)) fail(`--completions: ${flags.completions} — use a multiple of ${GROUP}.`);
const names = flags.only.split(',');
const unknown = names.find((name) => !Object.hasOwn(SIDES, name));
if (unknown !== undefined) fail(`--only: ${unknown} — use some of ${Object.keys(SIDES).join(', ')}.`);

const machine = describeMachine();
const sides = [];
try {
  for (const name of names) sides.push(await openSide(name));
  for (const side of sides) await side.begin();
  for (let turn = 0; turn <= flags.repeats; turn++) {
    for (const side of sides) {
      await pause();
      const measured = await side.step();
      if (turn > 0) side.turns.push(measured); // the first warms up
    }
    for (const side of sides) side.weights = await weightsSha256(side.run.engine.policy);
    if (turn > 0) report(); // what is cut off keeps its figures
  }
} finally {
  for (const { run } of sides) await run.engine.policy.close();
}

async function openSide(name) {
  const set = [
    `generation_batch_size=${completions}`,
    `per_device_train_batch_size=${completions}`,
    `eval_samples=${problems}`,
    'eval_strategy=no',
    'max_steps=1000000',
    'reward_funcs=[low_ids]',
    ...SIDES[name],
  ];
  const { config } = parseConfig(readFileSync(CONFIG, 'utf8'), { file: CONFIG }, set);
  const pretrained = await openPretrained(findModel(model));
  const created = await createTasks(config, { codec: pretrained.codec });
  const tasks = delegating(created, { fixedCompletionTokens: created.maxCompletionTokens });
  const backend = await wasmBackend({ threads, storageDtype: config.storageDtype });
  const run = await openRun(config, tasks, backend, {
    pretrained,
    rewards: { low_ids: lowIds(pretrained.model.shape.vocabSize / 2) },
  });
  const planned = plannedMemory(backend, [run.engine.policy.plan], threads);
  const bytes = [...planned.values()].reduce((sum, part) => sum + part, 0);
  const stream = train(run);
  let batches = 0;
  const next = async (type) => {
    for (;;) {
      const { value } = await stream.next();
      if (value.type === 'rollouts') batches++;
      if (value.type === type) return value;
    }
  };
  return {
    ...{ name, run, planned: Object.fromEntries(planned), bytes, turns: [], differences: [] },
    async begin() {
      const start = performance.now();
      this.evaluation = (await next('evaluation')).evaluation;
      this.evaluationSeconds = (performance.now() - start) / 1000;
    },
    async step() {
      const before = { ...run.journal.state.seconds };
      batches = 0;
      const processor = process.cpuUsage();
      const start = performance.now();
      const { metrics } = await next('step');
      this.differences.push(metrics['sampling/sampling_logp_difference/mean']);
      const seconds = (performance.now() - start) / 1000;
      const { user, system } = process.cpuUsage(processor);
      const rollout = run.journal.state.seconds.rollout - before.rollout;
      const tokens = metrics['completions/mean_length'] * completions * batches;
      return { seconds, cpuSeconds: (user + system) / 1e6, rollout, update: seconds - rollout, tokens, batches };
    },
  };
}

function report() {
  const figures = sides.map(({ name, bytes, planned, evaluation, evaluationSeconds, turns, weights, differences }) => {
    const of = (key) => summarize(turns.map((turn) => turn[key]));
    const tokensPerSecond = summarize(turns.map(({ tokens, rollout }) => tokens / rollout)).median;
    const batches = summarize(turns.map((turn) => turn.batches)).median;
    return {
      ...{ name, keys: SIDES[name], bytes, planned, tokensPerSecond, batches, weights, differences },
      ...{ accuracy: evaluation.accuracy.mean, sampled: evaluation.meanAtK.mean, evaluationSeconds },
      ...{ seconds: of('seconds'), cpuSeconds: of('cpuSeconds'), rollout: of('rollout'), update: of('update') },
    };
  });
  const [first] = figures;
  const ratioOf = (key) => (figure) => figure[key].median / first[key].median;
  const rows = figures.map((figure) => [
    figure.name,
    spread(figure.seconds, 2),
    `${ratioOf('seconds')(figure).toFixed(2)}×`,
    `${ratioOf('cpuSeconds')(figure).toFixed(2)}×`,
    figure.rollout.median.toFixed(2),
    figure.update.median.toFixed(2),
    figure.tokensPerSecond.toFixed(1),
    String(figure.batches),
    figure.evaluationSeconds.toFixed(2),
    `${(100 * figure.accuracy).toFixed(0)} %`,
    `${(figure.bytes / 1e6).toFixed(0)} MB`,
    figure.weights.slice(0, 8),
  ]);
  const head = [
    'base',
    's a step',
    'to f32',
    'cpu to f32',
    'rollout s',
    'update s',
    'tokens/s',
    'batches',
    'evaluation s',
    'greedy',
    'planned',
    'adapter',
  ];
  process.stdout.write(
    `${machineLine(machine)}\n${completions} completions of configs/smollm2.yaml a step, ${threads} threads, ${flags.repeats} turns; ${problems} held-out problems\n\n${table(head, rows)}\n`,
  );
  if (flags.json === undefined) return;
  const results = Object.fromEntries(
    figures.map((figure) => [
      figure.name,
      { ...figure, ratio: { seconds: ratioOf('seconds')(figure), cpuSeconds: ratioOf('cpuSeconds')(figure) } },
    ]),
  );
  writeJson(flags.json, 'storage', { machine, settings: { completions, problems, threads }, results });
}
