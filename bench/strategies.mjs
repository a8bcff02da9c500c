/**
 * What do strategies bring at the same number of sampled tokens?
 *
 *   npm run bench -- strategies [--only seldom] [--seeds 0..2] [--threads 1] [--force] [--quick]
 *
 * Each setting of bench/strategies trains a small policy to a point where plain GRPO is short of something (live groups,
 * right completions, an answer key), and then continues once plainly and once with each strategy, until as many tokens have
 * been sampled as the setting allows: hints, drafts, verdicts and what a source samples for itself included. Rates are
 * constant, so that a run which needs fewer steps for its tokens is not scheduled otherwise. Each row is written to
 * bench/results/strategies.json when it is done, and a row that is there, of the same config, is kept.
 *
 * Accuracies and weights are the same on any machine with the same JavaScript engine.
 */
import { evaluate } from '../build/packages/rlvr-train/index.js';
import { fail, readFlags, table } from './command.mjs';
import { figure, keptRows, readSeeds, round, share, trained } from './kept_rows.mjs';
import { mean } from './statistics.mjs';

/** Episodes are credited as a whole, or by turn: by outcome alone, or with what each turn brought nearer to it. */
const CREDIT = {
  plain: [],
  'feedback-retry': ['group_steps=[feedback-retry]'],
  'turn-return': ['advantage_estimator=turn-return'],
  'turn-return of potential-shaping': ['advantage_estimator=turn-return', 'group_steps=[potential-shaping]'],
  'tag-advantage of potential-shaping': ['advantage_estimator=tag-advantage', 'group_steps=[potential-shaping]'],
};

/** What each setting samples after its warm start, and what its grpo stage is tried with. `start` is set for each way of it. */
const SETTINGS = {
  saturated: {
    tokens: 250_000,
    ways: {
      plain: [],
      refill: ['dynamic_sampling={name: refill, max_rounds: 4}'],
      prefilter: ['prompt_source={name: prefilter, problems: 1024, samples: 8}'],
      'greedy-filter': ['prompt_source=greedy-filter'],
      bandit: ['prompt_source=bandit'],
    },
  },
  seldom: {
    tokens: 600_000,
    ways: {
      plain: [],
      refill: ['dynamic_sampling={name: refill, max_rounds: 4}'],
      'hint-resample': ['rollout_strategies=[hint-resample]'],
      'hint-resample, unhinted': ['rollout_strategies=[{name: hint-resample, trained: unhinted}]'],
      'answer-conditioned': ['rollout_strategies=[answer-conditioned]'],
      'scaffold-decay': ['rollout_strategies=[scaffold-decay]'],
      'inject-reference': ['rollout_strategies=[inject-reference]'],
      'few-shot-data': ['prompt_source={name: few-shot-data, limit: 512}'],
      'success-replay of few-shot-data': [
        'prompt_source={name: few-shot-data, limit: 512}',
        'rollout_strategies=[success-replay]',
      ],
    },
  },
  hardly: {
    config: 'seldom',
    start: ['sft.max_steps=230'],
    tokens: 600_000,
    ways: {
      plain: [],
      'answer-conditioned': ['rollout_strategies=[answer-conditioned]'],
      'scaffold-decay': ['rollout_strategies=[scaffold-decay]'],
      'inject-reference': ['rollout_strategies=[inject-reference]'],
      'success-replay of few-shot-data': [
        'prompt_source={name: few-shot-data, limit: 512}',
        'rollout_strategies=[success-replay]',
      ],
    },
  },
  halfway: {
    tokens: 400_000,
    ways: {
      plain: [],
      'prefix-branch': ['rollout_strategies=[{name: prefix-branch, branches: 3}]'],
      latr: ['rollout_strategies=[{name: latr, lookahead: 6}]'],
      mcts: ['rollout_strategies=[mcts]'],
      'constrained-decoding': [
        'token_controls=[{name: constrained-decoding, pattern: "[0-9]+ [+*/-] [0-9]+ = [0-9]+( , [0-9]+ [+*/-] [0-9]+ = [0-9]+)*"}]',
      ],
      'draft-refine': ['rollout_strategies=[{name: draft-refine, drafts: 4}]'],
      'oversample-select': ['rollout_strategies=[oversample-select]'],
      'ref-prob, without the key': ["rollout_strategies=[{name: ref-prob, mark: ','}]"],
      'verifree, without the key': [
        "rollout_strategies=[{name: verifree, mark: ','}]",
        'loss_type=null',
        'objective=verifree-loss',
      ],
    },
  },
  levels: {
    tokens: 500_000,
    ways: {
      'all levels': [],
      'level 0': ['task_weights={"number_sorting#1": 1, "number_sorting#2": 0, "number_sorting#3": 0}'],
      'level 1': ['task_weights={"number_sorting#1": 0, "number_sorting#2": 1, "number_sorting#3": 0}'],
      'level 2': ['task_weights={"number_sorting#1": 0, "number_sorting#2": 0, "number_sorting#3": 1}'],
      'adaptive-level': ['prompt_source=adaptive-level'],
    },
  },
  unlabelled: {
    tokens: 350_000,
    ways: {
      'plain, with the key': [],
      majority: ['group_steps=[majority]'],
      'majority of pseudo-label-select': ['group_steps=[pseudo-label-select, majority]'],
      'majority at 3e-4': ['group_steps=[majority]', 'learning_rate=3e-4'],
      'self-verify, with the key': ['rollout_strategies=[self-verify]'],
    },
  },
  lake: { tokens: 120_000, ways: CREDIT },
  guess: { tokens: 60_000, ways: CREDIT },
};
/** Figures of a step that tell how a way did beside the accuracy, and over how many of the last steps they are averaged. */
const TOLD = ['solve_rate', 'self-verify/', 'majority/', 'ref-prob/', 'draft-refine/'];
const TOLD_STEPS = 20;

const flags = readFlags({
  further: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '0..2' },
    threads: { type: 'string', default: '1' },
    force: { type: 'boolean', default: false },
  },
});
const seeds = readSeeds(flags.seeds);
const wanted = Object.entries(SETTINGS).filter(
  ([name]) => flags.only === undefined || flags.only.split(',').includes(name),
);
if (wanted.length === 0)
  fail(`--only ${flags.only} — no setting has this name; there are ${Object.keys(SETTINGS).join(', ')}.`);
const GRPO = 'stages.1.'; // not a further one, which is never reached
const { rows, measure } = keptRows('strategies', flags);
const short = ['sft.max_steps=2', 'sft.warmup_steps=0'];
for (const [setting, { config = setting, start = [], tokens, ways }] of wanted) {
  for (const [way, set] of Object.entries(ways)) {
    for (const seed of seeds) {
      const row = {
        key: `${setting}, ${way}, seed ${seed}`,
        config: `bench/strategies/${config}.yaml`,
        set: [`seed=${seed}`, ...start, ...set.map((key) => `${GRPO}${key}`), ...(flags.quick ? short : [])],
        facts: { setting, way, seed, tokens },
      };
      await measure(row, (loaded) => reached(loaded, flags.quick ? 20_000 : tokens), inWords);
    }
  }
}
report();

/** What a config reaches with a budget of sampled tokens. */
function reached(loaded, budget) {
  let begin;
  const steps = [];
  return trained(loaded, {
    quick: flags.quick,
    threads: Number(flags.threads),
    see(event, { journal: { state } }) {
      if (event.type === 'evaluation') begin = { tokens: state.tokens, sampled: event.evaluation.meanAtK };
      if (event.type !== 'step' || event.stage !== 'grpo') return false;
      steps.push(event.metrics);
      return state.tokens - begin.tokens >= budget;
    },
    async figuresOf({ run, failed }) {
      if (failed !== undefined) return { failed };
      const { accuracy, meanAtK, byTask } = await evaluate(
        { engine: run.engine, figures: [], seed: loaded.config.seed },
        loaded.config.stages[1],
      );
      const tasks = Object.entries(byTask ?? {}).map(([name, { meanAtK }]) => [name, figure(meanAtK)]);
      const last = steps.slice(-TOLD_STEPS);
      const told = [...new Set(last.flatMap((metrics) => Object.keys(metrics)))]
        .filter((name) => TOLD.some((method) => name.startsWith(method)))
        .map((name) => [name, round(mean(last.flatMap((metrics) => metrics[name] ?? [])))]);
      return {
        before: figure(begin.sampled),
        sampled: figure(meanAtK),
        greedy: figure(accuracy),
        steps: last.at(-1).step,
        ...(tasks.length > 0 && { tasks: Object.fromEntries(tasks) }),
        ...(told.length > 0 && { told: Object.fromEntries(told) }),
      };
    },
  });
}

function inWords({ before, sampled, steps }) {
  return `sampled ${(100 * before.mean).toFixed(1)} → ${share(sampled)} in ${steps} steps`;
}

function report() {
  const lines = [];
  for (const [setting, { ways }] of wanted) {
    for (const way of Object.keys(ways)) {
      const done = seeds.map((seed) => rows[`${setting}, ${way}, seed ${seed}`]);
      const reached = done.flatMap((row) => row?.sampled ?? []);
      if (reached.length === 0) continue;
      const average = mean(reached.map((sampled) => sampled.mean));
      const cells = done.map((row) =>
        row?.sampled === undefined ? (row?.failed && 'stopped') || '' : share(row.sampled),
      );
      lines.push([setting, way, `${(100 * average).toFixed(1)} %`, ...cells]);
    }
  }
  process.stdout.write(`${table(['setting', 'way', 'mean', ...seeds.map((seed) => `seed ${seed}`)], lines)}\n`);
}
