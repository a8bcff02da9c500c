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
import { createTasks, evaluate, openRun, train, wasmBackend } from '../dist/index.js';
import { fail, readFlags, table } from './command.mjs';
import { figure, keptRows, readSeeds, round, share } from './kept_rows.mjs';

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
async function reached({ config, lineOf }, budget) {
  const tasks = await createTasks(config, flags.quick ? { heldOutSample: 16 } : {});
  const run = await openRun(config, tasks, await wasmBackend({ threads: Number(flags.threads) }), { lineOf });
  const { state } = run;
  let begin;
  let trained = 0;
  let verified;
  try {
    for await (const event of train(run)) {
      if (event.type === 'evaluation') begin = { tokens: state.tokens, sampled: event.evaluation.meanAtK };
      if (event.type !== 'step' || event.stage !== 'grpo') continue;
      const { metrics } = event;
      trained = metrics.step;
      verified = Object.fromEntries(Object.entries(metrics).filter(([name]) => name.startsWith(VERIFIES)));
      if (state.tokens - begin.tokens >= budget) break;
    }
    const { accuracy, meanAtK } = await evaluate(run, config.stages.at(-1));
    return {
      before: figure(begin.sampled),
      sampled: figure(meanAtK),
      greedy: figure(accuracy),
      steps: trained,
      ...(Object.keys(verified ?? {}).length > 0 && { verified }),
    };
  } catch (error) {
    return { failed: error.message.split('\n')[0] };
  } finally {
    await run.policy.close();
  }
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
