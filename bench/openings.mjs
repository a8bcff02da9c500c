/**
 * What does it save to compute once what all prompts of a batch begin with?
 *
 *   npm run bench -- openings [--steps 2] [--problems 64] [--completions 80] [--threads 2] [--json FILE]
 *
 * configs/smollm2.yaml: its greedy evaluation and steps, in a process with openings and in one in which no beginning is long
 * enough to be one; seconds of the evaluation, and of rollout and update. What is sampled first is the same to the bit, and
 * what is learned but for the order of its sums.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, openBench } from './command.mjs';
import { summarize } from './statistics.mjs';

const CONFIG = fileURLToPath(new URL('../configs/smollm2.yaml', import.meta.url));
const SIDES = ['before', 'after'];
/** Puts another bound in the place of those of build/model/sampling/openings.js and build/model/batch_openings.js. */
const WITHOUT = `export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!/\\/(batch_)?openings\\.js$/.test(url)) return loaded;
  const source = String(loaded.source).replace(/LEAST_TOKENS = \\d+/, 'LEAST_TOKENS = Infinity');
  if (!source.includes('Infinity')) throw new Error(url + ' has no such bound');
  return { ...loaded, source };
}`;

const { flags, threads, show, write } = openBench('openings', {
  threads: '2',
  steps: { type: 'string', default: '2' },
  problems: { type: 'string', default: '64' },
  completions: { type: 'string', default: '80' },
  side: { type: 'string' },
});
if (flags.side === undefined) measureBoth();
else await measure();

function measureBoth() {
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-openings-'));
  try {
    const results = Object.fromEntries(SIDES.map((side) => [side, measured(side, join(folder, `${side}.json`))]));
    const { before, after } = results;
    const row = (name, of) => {
      const [was, is] = [of(before), of(after)];
      return [name, was.toFixed(2), is.toFixed(2), `${(is / was).toFixed(2)}×`];
    };
    const rows = [
      row('evaluation', ({ evaluation }) => evaluation),
      row('rollout', ({ rollout }) => rollout.median),
      row('update', ({ update }) => update.median),
    ];
    const { steps, problems, completions } = flags;
    const what = `${completions} completions of configs/smollm2.yaml a step, ${problems} held-out problems, ${threads} threads`;
    show(['seconds', 'each prompt whole', 'openings once', 'ratio'], rows, [what, '']);
    write({ steps, problems, completions }, results);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measured(side, file) {
  const run = fileURLToPath(new URL('run.mjs', import.meta.url));
  const passed = ['threads', 'steps', 'problems', 'completions'].flatMap((name) => [`--${name}`, flags[name]]);
  const { status } = spawnSync(process.execPath, [run, 'openings', '--side', side, '--json', file, ...passed], {
    stdio: 'inherit',
  });
  if (!existsSync(file)) fail(`${side}: ended with ${status} before its figures were written.`);
  return JSON.parse(readFileSync(file, 'utf8')).results;
}

async function measure() {
  if (flags.side === 'before') register(`data:text/javascript,${encodeURIComponent(WITHOUT)}`);
  const { createTasks, openPretrained, openRun, parseConfig, train, wasmBackend } = await import(
    '../build/packages/rlvr-train/index.js'
  );
  const { findModel } = await import('../build/packages/rlvr-train/node.js');
  const { SMOLLM2 } = await import('./lora_workload.mjs');
  const set = [
    `generation_batch_size=${flags.completions}`,
    `eval_samples=${flags.problems}`,
    'eval_strategy=no',
    'max_steps=1000000',
  ];
  const { config } = parseConfig(readFileSync(CONFIG, 'utf8'), { file: CONFIG }, set);
  const pretrained = await openPretrained(findModel(SMOLLM2));
  const tasks = await createTasks(config, { codec: pretrained.codec });
  const run = await openRun(config, tasks, await wasmBackend({ threads }), { pretrained });
  const seconds = () => ({ ...run.journal.state.seconds });
  let start = performance.now();
  let evaluation;
  const steps = [];
  let before = seconds();
  for await (const { type } of train(run)) {
    if (type === 'evaluation') evaluation = (performance.now() - start) / 1000;
    if (type === 'step') {
      const all = (performance.now() - start) / 1000;
      const rollout = seconds().rollout - before.rollout;
      steps.push({ rollout, update: all - rollout });
      if (steps.length === Number(flags.steps)) break;
    }
    if (type !== 'evaluation' && type !== 'step') continue;
    start = performance.now();
    before = seconds();
  }
  await run.engine.policy.close();
  const of = (key) => summarize(steps.map((step) => step[key]));
  write({}, { evaluation, rollout: of('rollout'), update: of('update') });
}
