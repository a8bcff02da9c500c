/**
 * What does a step cost with each source and strategy, beside a plain one?
 *
 *   npm run bench -- strategy-costs [--only NAME,NAME] [--memory] [--threads 1] [--repeats 9] [--quick]
 *
 * Every source and strategy of the registry, alone, on the same policy: one that was shown some answers, the same weights
 * for all that need no words of their own, at a rate that leaves it as it is. All take one optimizer step in turn, rounds
 * that teach nothing included. Counted are seconds, tokens that were sampled (those of a source's own trials too) and
 * tokens that were trained on.
 *
 * With --memory, each trains a larger policy of random weights in a process of its own, and its peak is compared with
 * the plan, as `memory` does it, checkpoints included; sources change no plan, and are left out. Such a policy fails
 * everything, so that strategies ask for all they ever ask for.
 *
 * Both are written to bench/results/strategy-costs.json; names that are measured again replace the old figures.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTasks, openRun, train, wasmBackend } from '../build/packages/rlvr-train/index.js';
import { loadConfigFile } from '../build/packages/rlvr-train/node.js';
import { ZOO } from '../build/packages/zoo/registries.js';
import { usesOf } from '../build/src/methods/create.js';
import { describeMachine, fail, readFlags, readThreads, THREADS_FLAG, table, writeJson } from './command.mjs';
import { summarize } from './statistics.mjs';
import { compare, counted, takeTurns } from './turns.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CONFIG = `${ROOT}bench/strategies/costs.yaml`;
const RESULTS = `${ROOT}bench/results/strategy-costs.json`;
const WARM_UP = 3;
const LIMIT_SECONDS = 60;

/** Some millions of parameters, so that what is planned is more than what Node takes by itself. */
const LARGER = [
  'model={hidden_size: 160, num_hidden_layers: 4, num_attention_heads: 4, intermediate_size: 432}',
  'save_seconds=1',
  'sft.max_steps=1',
  'sft.warmup_steps=0',
  'grpo.reward_funcs=[{name: cosine, min_value_wrong: 0, max_value_wrong: 0.5, max_len: 12}]',
];
/** Fewer leave V8's young generation smaller than it becomes, by 40 MB. */
const MEMORY_STEPS = 30;

/** What a method is asked with where its name alone is not enough, or does nothing. */
const ASKED = {
  stream: undefined,
  refill: ['grpo.dynamic_sampling={name: refill, max_rounds: 2}'],
  prefilter: ['grpo.prompt_source={name: prefilter, problems: 64, samples: 8}'],
  'keep-range': [repeated('keep-range')],
  'solve-rate-prune': [repeated('solve-rate-prune')],
  prioritized: [repeated('prioritized')],
  weakness: [repeated('weakness')],
  'mixture-progress': [twoLevels(), repeated('mixture-progress')],
  bandit: [twoLevels(), repeated('bandit')],
  'mixture-influence': [twoLevels(), 'grpo.prompt_source={name: mixture-influence, target: countdown}'],
  twin: ['grpo.prompt_source=twin', 'grpo.group_steps=[cross-majority]'],
  'success-replay': ['grpo.prompt_source={name: few-shot-data, limit: 64}', strategy('success-replay')],
  'reroll-cache': ['grpo.prompt_source={name: few-shot-data, limit: 64}', strategy('reroll-cache')],
  'ref-prob': [strategy('{name: ref-prob, mark: "="}')],
  r3: [strategy('{name: r3, mark: "="}')],
  verifree: [strategy('{name: verifree, mark: "="}'), 'grpo.loss_type=null', 'grpo.objective=verifree-loss'],
};

/** The same with other options, where they cost something else. */
const VARIANTS = {
  'constrained-decoding': [
    'grpo.token_controls=[{name: constrained-decoding, pattern: "[0-9]+ [+*/-] [0-9]+ = [0-9]+( , [0-9]+ [+*/-] [0-9]+ = [0-9]+)*"}]',
  ],
  'a token control that does nothing': ['grpo.token_controls=[{name: early-stop, closing_tag: "=="}]'],
  'hint-resample in the prompt': [strategy('{name: hint-resample, hint_in: prompt}')],
  'scaffold-decay, at the end': [strategy('{name: scaffold-decay, half_at: 0, decay: 1000000}')],
};

function strategy(mapping) {
  return `grpo.rollout_strategies=[${mapping}]`;
}

function repeated(source) {
  return `grpo.prompt_source=[{name: few-shot-data, limit: 64}, ${source}]`;
}

function twoLevels() {
  return 'tasks=[{name: countdown, level: 1}, {name: countdown, level: 2}]';
}

/** Assignments by name, the plain step first. */
function allWays() {
  const sources = ZOO.methods.at.promptSource.map(({ id }) => [id, ASKED[id] ?? [`grpo.prompt_source=${id}`]]);
  const strategies = ZOO.methods.at.rolloutStrategies.map(({ id }) => [id, ASKED[id] ?? [strategy(id)]]);
  const named = [...sources, ...strategies].filter(([id]) => id !== 'stream');
  return { plain: [], ...Object.fromEntries(named), ...VARIANTS };
}

const flags = readFlags({
  repeats: 9,
  further: { ...THREADS_FLAG, only: { type: 'string' }, memory: { type: 'boolean', default: false } },
});
const ways = wantedWays();
const known = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')).results : {};
if (flags.memory) measureMemory();
else keep({ steps: await measureSteps() });

function keep(more) {
  const report = { machine: describeMachine(), settings: settings(), results: { ...known, ...more } };
  if (!flags.quick) writeJson(RESULTS, 'strategy-costs', report);
}

function settings() {
  return { config: 'bench/strategies/costs.yaml', threads: readThreads(flags), repeats: flags.repeats, larger: LARGER };
}

function wantedWays() {
  const all = allWays();
  const wanted = flags.only?.split(',') ?? Object.keys(all);
  const unknown = wanted.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) fail(`--only: ${unknown} — use some of: ${Object.keys(all).join(', ')}.`);
  return Object.fromEntries([...new Set(['plain', ...wanted])].map((name) => [name, all[name]]));
}

/** Seconds and tokens of a step of each way, in turns. */
async function measureSteps() {
  const backend = await wasmBackend({ threads: readThreads(flags) });
  const shown = new Map(); // weights after the supervised stage, by the forms that it showed
  const runs = [];
  const sides = {};
  for (const [name, set] of Object.entries(ways)) {
    process.stdout.write(`${name} … `);
    const run = await opened(backend, set, shown);
    runs.push(run);
    sides[name] = takeStep(run);
  }
  process.stdout.write('\n');
  try {
    const taken = await takeTurns(sides, { warmup: WARM_UP, repeats: flags.repeats, limitSeconds: LIMIT_SECONDS });
    return reportSteps(taken);
  } finally {
    for (const run of runs) await run.engine.policy.close();
  }
}

/** A run at the start of its grpo stage. */
async function opened(backend, set, shown) {
  const overrides = set.map((assignment) => ({ flag: '--set', assignment }));
  const { config, lineOf } = await loadConfigFile(CONFIG, overrides);
  const tasks = await createTasks(config, { heldOutSample: 16 });
  const run = await openRun(config, tasks, backend, { lineOf });
  const forms = formsOf(config.stages[1]);
  const known = shown.get(forms);
  if (known === undefined) {
    for await (const event of train(run))
      if (event.type === 'step' && event.step === config.stages[0].optimizer.maxSteps) break;
    shown.set(forms, Float32Array.from(await run.engine.policy.readVector('weights')));
  } else run.engine.policy.writeVector('weights', known);
  Object.assign(run.journal.state, { stageIndex: 1, step: 0, isBegun: false });
  return run;
}

/** What a supervised stage shows besides the task, as far as it decides the weights: words, and prompts that show more. */
function formsOf(stage) {
  const asked = usesOf(stage, ZOO.methods).asked.map(({ use }) => use);
  const isShown = asked.some(({ room }) => room !== undefined);
  return JSON.stringify(isShown ? stage.methods.rolloutStrategies : asked.map(({ words }) => words ?? {}));
}

/** Takes one optimizer step with each call. */
function takeStep(run) {
  const events = train(run);
  let tokens = run.journal.state.tokens;
  return async () => {
    const start = performance.now();
    for (;;) {
      const { value: event, done } = await events.next();
      if (done) fail('a run ended before it was measured');
      if (event.type !== 'step') continue;
      const seconds = (performance.now() - start) / 1000;
      const sampled = run.journal.state.tokens - tokens;
      tokens = run.journal.state.tokens;
      const { sampled_per_trained_token: perTrained, solve_rate: solved } = event.metrics;
      return { seconds, sampled, trained: sampled / perTrained, solved };
    }
  };
}

function reportSteps(taken) {
  const seconds = compare(taken, (turn) => turn.seconds, 'plain');
  const kept = {};
  const rows = Object.entries(taken).map(([name, side]) => {
    const turns = counted(side);
    const of = (figure) => summarize(turns.map((turn) => turn[figure])).median;
    const [sampled, trained] = [of('sampled'), of('trained')];
    kept[name] = { seconds: seconds[name], sampled, trained, plainSeconds: seconds.plain.median };
    const { median, low, high, ratio } = seconds[name];
    return [
      name,
      `${median.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`,
      ratio === undefined ? '' : `${ratio.ofMedians.toFixed(2)}`,
      String(Math.round(sampled)),
      String(Math.round(trained)),
      (sampled / trained).toFixed(2),
    ];
  });
  process.stdout.write(`${table(['', 's a step', 'of plain', 'sampled', 'trained on', 'ratio'], rows)}\n`);
  // Rows of other days keep the plain step that they are a ratio of.
  if (flags.only !== undefined && known.steps?.plain !== undefined) delete kept.plain;
  return { ...known.steps, ...kept };
}

/** Plan and peak of each way, each in a process of its own. */
function measureMemory() {
  const found = { ...known.memory };
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-strategy-costs-'));
  try {
    for (const [name, set] of Object.entries(ways)) {
      if (ZOO.methods.at.promptSource.some(({ id }) => id === name)) continue;
      const file = join(folder, 'memory.json');
      const own = [...LARGER, `threads=${readThreads(flags)}`, ...set].flatMap((each) => ['--set', each]);
      const run = [`${ROOT}bench/run.mjs`, 'memory', '--config', CONFIG, '--steps', String(MEMORY_STEPS), ...own];
      const { stderr } = spawnSync(process.execPath, [...run, '--json', file], { encoding: 'utf8' });
      if (!existsSync(file)) {
        process.stdout.write(`${name}: ${stderr.trim()}\n`);
        continue;
      }
      const { total, peak } = JSON.parse(readFileSync(file, 'utf8')).results;
      rmSync(file);
      found[name] = { planned: total, peak, peakOverPlan: Number((peak / total).toFixed(3)) };
      keep({ memory: found });
      process.stdout.write(
        `${name.padEnd(30)} planned ${(total / 1e6).toFixed(0)} MB, peak ${(peak / 1e6).toFixed(0)} MB, ${(100 * (peak / total - 1)).toFixed(1)} %\n`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
