/**
 * What does it cost to learn from batches that were sampled ahead?
 *
 *   npm run bench -- staleness [--seeds 0..2] [--only WORDS] [--force] [--quick]
 *
 * Trains the recipe of configs/sort-digits.yaml, with three digits, a smaller model and 300 steps, with lags of 0, 1, 2, 4 and
 * 8 batches: with the plain clip, and with the ratio to the policy before the step and truncated importance weights. And that
 * of configs/countdown-steps.yaml, smaller too, with lags of 0, 1 and 4: the reinforcement of a seed begins with the same supervised
 * stage, to the bit. Of each run it keeps the curve of its evaluations,
 * the mean ratio, how far log-probs moved while completions waited, and what was clipped. Each row is written to
 * bench/results/staleness.json when it is done, and a row that is there, of the same config, is kept. One thread.
 *
 * Accuracies and weights are the same on any machine with the same JavaScript engine; seconds are those of the machine at
 * that time, with whatever else it did.
 */
import { weightsSha256 } from '../build/src/run/model/model_files.js';
import { fail, readFlags, table } from './command.mjs';
import { figure, keptRows, readSeeds, round, trained } from './kept_rows.mjs';
import { mean } from './statistics.mjs';

const SORTING = {
  prefix: '',
  config: 'configs/sort-digits.yaml',
  steps: 300,
  lags: [0, 1, 4, 2, 8],
  /** A run takes six seconds of a core. */
  smaller: [
    'task.digits=3',
    'model.hidden_size=48',
    'model.intermediate_size=128',
    'grpo.generation_batch_size=256',
    'grpo.learning_rate=2.0e-3',
    'grpo.num_generations_eval=4',
    'grpo.eval_steps=25',
  ],
};
const COUNTDOWN = {
  prefix: 'countdown ',
  config: 'configs/countdown-steps.yaml',
  steps: 120,
  lags: [0, 1, 4],
  /** A run takes half a minute of a core. */
  smaller: [
    'model.num_hidden_layers=2',
    'model.num_attention_heads=4',
    'sft.max_steps=400',
    'sft.eval_steps=400',
    'sft.weight_decay=0.1',
    'grpo.generation_batch_size=256',
    'grpo.learning_rate=3.0e-4',
    'grpo.num_generations_eval=4',
    'grpo.eval_steps=30',
  ],
};
const WEIGHTS = {
  clip: [],
  tis: [
    'grpo.vllm_importance_sampling_correction=true',
    'grpo.vllm_importance_sampling_mode=token_truncate',
    'grpo.vllm_importance_sampling_clip_max=2',
  ],
};

const flags = readFlags({
  further: {
    seeds: { type: 'string', default: '0..2' },
    only: { type: 'string' },
    force: { type: 'boolean', default: false },
  },
});
const words = flags.only?.split(',') ?? [''];
const wanted = [SORTING, COUNTDOWN]
  .flatMap((recipe) => recipe.lags.map((lag) => ({ recipe, lag })))
  .flatMap(({ recipe, lag }) =>
    Object.entries(WEIGHTS)
      .filter(([weights]) => lag > 0 || weights === 'clip') // on-policy there is nothing to weigh
      .map(([weights, set]) => ({ name: `${recipe.prefix}lag ${lag} ${weights}`, recipe, lag, weights, set })),
  )
  .filter(({ name }) => words.some((word) => name.includes(word)));
if (wanted.length === 0) fail(`--only ${flags.only} — no row has these words, such as "lag 4" or "tis".`);
const { rows, measure } = keptRows('staleness', flags, { recipe: SORTING.config });
for (const seed of readSeeds(flags.seeds)) for (const row of wanted) await measureRow(row, seed);
report();

async function measureRow({ name, recipe, lag, weights, set }, seed) {
  const { config, smaller } = recipe;
  const steps = `grpo.max_steps=${flags.quick ? 12 : recipe.steps}`;
  await measure(
    {
      key: `${name}, seed ${seed}`,
      config,
      set: [`seed=${seed}`, ...smaller, steps, ...(lag > 0 ? [`grpo.staleness=${lag}`] : []), ...set],
      facts: { row: name, lag, weights, seed },
    },
    reached,
    ({ greedy }) => percent(greedy.mean),
  );
}

function reached(loaded) {
  const curve = [];
  const seen = { ratio: [], moved: [], clipped: [] };
  const keep = (list, value) => typeof value === 'number' && list.push(value);
  return trained(loaded, {
    quick: flags.quick,
    threads: 1,
    see: (event) => {
      if (event.type === 'evaluation' && event.stage === 'grpo')
        curve.push([event.step, figure(event.evaluation.meanAtK)]);
      if (event.type !== 'step') return;
      keep(seen.ratio, event.metrics['importance_ratio/mean']);
      keep(seen.moved, event.metrics['sampling/sampling_logp_difference/mean']);
      keep(seen.clipped, event.metrics['clip_ratio/region_mean']);
    },
    figuresOf: async ({ run, failed }) => ({
      ...(failed === undefined ? { greedy: figure(run.journal.state.final.accuracy) } : { failed }),
      curve,
      ...Object.fromEntries(
        Object.entries(seen).flatMap(([name, all]) => (all.length ? [[name, round(mean(all))]] : [])),
      ),
      sha: await weightsSha256(run.engine.policy),
    }),
  });
}

function percent(value) {
  return `${(100 * value).toFixed(1)} %`;
}

/** Mean over the seeds, and the two values that enclose all. */
function spread(values) {
  if (values.length === 0) return '';
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${percent(mean(values))} (${(100 * least).toFixed(1)}–${(100 * most).toFixed(1)})`;
}

function report() {
  const names = [...new Set(Object.values(rows).map(({ row }) => row))];
  const at = (own, step) => own.flatMap(({ curve }) => curve.find(([place]) => place === step)?.[1].mean ?? []);
  const lines = names.map((name) => {
    const own = Object.values(rows).filter(({ row }) => row === name);
    const last = own[0].curve.at(-1)[0];
    const average = (of) => {
      const values = own.flatMap((row) => row[of] ?? []);
      return values.length === 0 ? '' : mean(values).toFixed(4);
    };
    return [
      name,
      ...[1, 2, 3, 4].map((quarter) => spread(at(own, (quarter * last) / 4))),
      average('ratio'),
      average('moved'),
      average('clipped'),
    ];
  });
  const head = ['row', ...['a quarter', 'half', 'three quarters', 'the end'], 'ratio', 'moved', 'clipped'];
  process.stdout.write(`${table(head, lines)}\n`);
}
