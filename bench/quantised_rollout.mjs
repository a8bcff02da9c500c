/**
 * What does it do to learning, and what does it cost, to sample rollouts from a copy of the weights in 8 bits?
 *
 *   npm run bench -- quantised-rollout [--seeds 0..2] [--force] [--quick]
 *
 * Trains the recipe of configs/sort-digits.yaml, with three digits, a smaller model and 300 steps: from the weights; from the copy,
 * with the plain clip; and from the copy, weighed by token (`tis`). Of each run it keeps the curve of its evaluations, how far
 * policy and copy are apart at the sampled tokens, the weights, and milliseconds of a step's rollout and update. Each row is
 * written to bench/results/quantised-rollout.json when it is done, and a row that is there, of the same config, is kept. One thread.
 *
 * What it costs beside a pretrained model is in `npm run bench -- storage --only f32,copy`.
 */
import { weightsSha256 } from '../build/src/run/model/model_files.js';
import { readFlags, table } from './command.mjs';
import { figure, keptRows, readSeeds, round, trained } from './kept_rows.mjs';
import { mean } from './statistics.mjs';

const CONFIG = 'configs/sort-digits.yaml';
const STEPS = 300;
/** A run takes some ten seconds of a core. Rows of 64 and 128 are whole blocks. */
const SMALLER = [
  'task.digits=3',
  'model.intermediate_size=128',
  'grpo.generation_batch_size=256',
  'grpo.learning_rate=2.0e-3',
  'grpo.num_generations_eval=4',
  'grpo.eval_steps=25',
];
const COPY = ['grpo.quantised_rollout=true'];
const ROWS = {
  weights: [],
  'copy, clip': COPY,
  'copy, tis': [
    ...COPY,
    'grpo.vllm_importance_sampling_correction=true',
    'grpo.vllm_importance_sampling_mode=token_truncate',
    'grpo.vllm_importance_sampling_clip_max=2',
  ],
};
/** Metrics of each step that a row has the mean of. */
const SEEN = {
  difference: 'sampling/sampling_logp_difference/mean',
  most: 'sampling/sampling_logp_difference/max',
  ratio: 'importance_ratio/mean',
  leastWeight: 'sampling/importance_sampling_ratio/min',
  mostWeight: 'sampling/importance_sampling_ratio/max',
  clipped: 'clip_ratio/region_mean',
};

const flags = readFlags({
  further: { seeds: { type: 'string', default: '0..2' }, force: { type: 'boolean', default: false } },
});
const { rows, measure } = keptRows('quantised-rollout', flags, { recipe: CONFIG });
for (const seed of readSeeds(flags.seeds)) {
  for (const [row, set] of Object.entries(ROWS)) {
    const steps = `grpo.max_steps=${flags.quick ? 6 : STEPS}`;
    await measure(
      {
        key: `${row}, seed ${seed}`,
        config: CONFIG,
        set: [`seed=${seed}`, ...SMALLER, steps, ...set],
        facts: { row, seed },
      },
      reached,
      ({ greedy }) => percent(greedy.mean),
    );
  }
}
report();

function reached(loaded) {
  const curve = [];
  const seen = Object.fromEntries(Object.keys(SEEN).map((name) => [name, []]));
  return trained(loaded, {
    quick: flags.quick,
    threads: 1,
    see: (event) => {
      if (event.type === 'evaluation') curve.push([event.step, figure(event.evaluation.meanAtK)]);
      if (event.type !== 'step') return;
      for (const [name, metric] of Object.entries(SEEN)) {
        const value = event.metrics[metric];
        if (typeof value === 'number') seen[name].push(value);
      }
    },
    figuresOf: async ({ run, end, failed }) => {
      const { rollout, update } = run.journal.state.seconds;
      return {
        ...(failed === undefined ? { greedy: figure(run.journal.state.final.accuracy) } : { failed }),
        curve,
        ...Object.fromEntries(
          Object.entries(seen).flatMap(([name, all]) => (all.length > 0 ? [[name, round(mean(all))]] : [])),
        ),
        ...{ rolloutMs: round((1000 * rollout) / end.step), updateMs: round((1000 * update) / end.step) },
        sha: await weightsSha256(run.engine.policy),
      };
    },
  });
}

function percent(value) {
  return `${(100 * value).toFixed(1)} %`;
}

/** Mean over the seeds, and the two values that enclose all. */
function spread(values) {
  return `${percent(mean(values))} (${(100 * Math.min(...values)).toFixed(1)}–${(100 * Math.max(...values)).toFixed(1)})`;
}

function report() {
  const figures = ['difference', 'most', 'ratio', 'leastWeight', 'mostWeight', 'clipped', 'rolloutMs', 'updateMs'];
  const lines = Object.keys(ROWS).map((name) => {
    const own = Object.values(rows).filter(({ row }) => row === name);
    const at = (share) => own.map(({ curve }) => curve[Math.round((curve.length - 1) * share)][1].mean);
    const average = (of) => {
      const values = own.flatMap((row) => row[of] ?? []);
      return values.length === 0 ? '' : mean(values).toFixed(4);
    };
    return [name, spread(at(0.5)), spread(at(1)), ...figures.map(average)];
  });
  process.stdout.write(`${table(['row', 'half', 'the end', ...figures], lines)}\n`);
}
