/**
 * What do strategies bring at the same number of sampled tokens?
 *
 *   npm run bench -- strategies [--only seldom] [--seeds 0..2] [--threads 1] [--force] [--quick]
 *
 * Each setting of bench/strategies trains a small policy to a point where plain GRPO is short of something (live groups,
 * right completions, an answer key), and then goes on once plainly and once with each strategy, until as many tokens have
 * been sampled as the setting allows: hints, drafts, verdicts and what a source samples for itself included. Rates are
 * constant, so that a run which needs fewer steps for its tokens is not scheduled otherwise. Each row is written to
 * bench/results/strategies.json when it is done, and a row that is there, of the same config, is kept.
 *
 * Accuracies and weights are the same on any machine with the same JavaScript engine.
 */
import { evaluate } from '../dist/index.js';
import { fail, readFlags, table } from './command.mjs';
import { figure, keptRows, readSeeds, round, share, trained } from './kept_rows.mjs';

const VERIFIES = 'self-verify/';

/** What each setting samples after its warm start, and what it is tried with. */
const SETTINGS = {
  saturated: {
    tokens: 250_000,
    ways: {
      plain: [],
      refill: ['grpo.dynamic_sampling={name: refill, max_rounds: 4}'],
      prefilter: ['grpo.prompt_source={name: prefilter, problems: 1024, samples: 8}'],
      'keep-range': ['grpo.prompt_source=[{name: few-shot-data, limit: 512}, {name: keep-range}]'],
    },
  },
  seldom: {
    tokens: 1_000_000,
    ways: {
      plain: [],
      refill: ['grpo.dynamic_sampling={name: refill, max_rounds: 4}'],
      'hint-resample': ['grpo.rollout_strategies=[hint-resample]'],
      'hint-resample, unhinted': ['grpo.rollout_strategies=[{name: hint-resample, trained: unhinted}]'],
      'answer-conditioned': ['grpo.rollout_strategies=[answer-conditioned]'],
      'inject-reference': ['grpo.rollout_strategies=[inject-reference]'],
      'success-replay': [
        'grpo.prompt_source={name: few-shot-data, limit: 512}',
        'grpo.rollout_strategies=[success-replay]',
      ],
      'few-shot-data': ['grpo.prompt_source={name: few-shot-data, limit: 512}'],
    },
  },
  halfway: {
    tokens: 800_000,
    ways: {
      plain: [],
      'prefix-branch': ['grpo.rollout_strategies=[{name: prefix-branch, branches: 3}]'],
      'draft-refine': ['grpo.rollout_strategies=[{name: draft-refine, drafts: 4}]'],
      'oversample-select': ['grpo.rollout_strategies=[oversample-select]'],
    },
  },
  unlabelled: {
    tokens: 350_000,
    ways: {
      'plain, with the key': [],
      majority: ['grpo.group_steps=[majority]'],
      'self-verify, with the key': ['grpo.rollout_strategies=[self-verify]'],
    },
  },
};

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
const { rows, measure } = keptRows('strategies', flags);
const short = ['sft.max_steps=2', 'sft.warmup_steps=0'];
for (const [setting, { tokens, ways }] of wanted) {
  for (const [way, set] of Object.entries(ways)) {
    for (const seed of seeds) {
      const row = {
        key: `${setting}, ${way}, seed ${seed}`,
        config: `bench/strategies/${setting}.yaml`,
        set: [`seed=${seed}`, ...set, ...(flags.quick ? short : [])],
        facts: { setting, way, seed, tokens },
      };
      await measure(row, (loaded) => reached(loaded, flags.quick ? 20_000 : tokens), inWords);
    }
  }
}
report();

/** What a config reaches with so many sampled tokens. */
function reached(loaded, budget) {
  let begin;
  let last;
  return trained(loaded, {
    quick: flags.quick,
    threads: Number(flags.threads),
    see(event, { state }) {
      if (event.type === 'evaluation') begin = { tokens: state.tokens, sampled: event.evaluation.meanAtK };
      if (event.type !== 'step' || event.stage !== 'grpo') return false;
      last = event.metrics;
      return state.tokens - begin.tokens >= budget;
    },
    async figuresOf({ run, failed }) {
      if (failed !== undefined) return { failed };
      const { accuracy, meanAtK } = await evaluate(run, loaded.config.stages.at(-1));
      const verified = Object.entries(last).filter(([name]) => name.startsWith(VERIFIES));
      return {
        before: figure(begin.sampled),
        sampled: figure(meanAtK),
        greedy: figure(accuracy),
        steps: last.step,
        ...(verified.length > 0 && { verified: Object.fromEntries(verified) }),
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
      const done = seeds.map((seed) => rows[`${setting}, ${way}, seed ${seed}`]).filter((row) => row?.sampled);
      if (done.length === 0) continue;
      const mean = round(done.reduce((sum, { sampled }) => sum + sampled.mean, 0) / done.length);
      lines.push([setting, way, `${(100 * mean).toFixed(1)} %`, ...done.map(({ sampled }) => share(sampled))]);
    }
  }
  process.stdout.write(`${table(['setting', 'way', 'mean', ...seeds.map((seed) => `seed ${seed}`)], lines)}\n`);
}
