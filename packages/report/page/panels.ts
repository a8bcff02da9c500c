/** Which curves the page shows, in what order, and what each means. */
import type { EvaluationData, Interval } from '../data.ts';
import type { Kind } from '../format.ts';
import type { Curves, Series } from './track.ts';

export interface Panel {
  readonly title: string;
  readonly hint: string;
  readonly kind: Kind;
  readonly series: readonly Series[];
  /** The one that matters most takes a row of its own. */
  readonly isWide?: boolean;
}

interface Plan {
  readonly title: string;
  readonly hint: string;
  readonly kind: Kind;
  readonly lines: readonly (readonly [metric: string, label: string])[];
  readonly band?: readonly [low: string, high: string];
  /** Only steps of this kind of stage. */
  readonly stage?: 'sft' | 'grpo';
  /** Set by a schedule: there is no noise to average. */
  readonly isExact?: boolean;
  /** Left out while it stays at one value. */
  readonly onlyIfChanging?: boolean;
}

const PLANS: readonly Plan[] = [
  {
    title: 'Reward',
    hint: 'mean of a step, on training problems',
    kind: 'number',
    lines: [['reward', 'reward']],
  },
  {
    title: 'Entropy',
    hint: 'nats per token; near 0: no exploration left',
    kind: 'number',
    lines: [['entropy', 'entropy']],
  },
  {
    title: 'Completion length',
    hint: 'tokens; band: shortest to longest',
    kind: 'number',
    lines: [['completions/mean_length', 'mean']],
    band: ['completions/min_length', 'completions/max_length'],
  },
  {
    title: 'Truncated completions',
    hint: 'share that was cut at the token limit',
    kind: 'share',
    lines: [['completions/clipped_ratio', 'truncated']],
  },
  {
    title: 'Dead groups',
    hint: 'share with equal rewards: nothing to learn',
    kind: 'share',
    lines: [['frac_reward_zero_std', 'dead']],
  },
  {
    title: 'Clipped tokens',
    hint: 'share whose ratio left the trust region',
    kind: 'share',
    lines: [
      ['clip_ratio/low_mean', 'below'],
      ['clip_ratio/high_mean', 'above'],
    ],
    onlyIfChanging: true,
  },
  {
    title: 'KL',
    hint: 'nats per token, to the policy at the start of the stage',
    kind: 'number',
    lines: [['kl', 'kl']],
  },
  {
    title: 'Tokens per second',
    hint: 'completion tokens, over training steps',
    kind: 'count',
    lines: [['tokens_per_second', 'tokens/s']],
  },
  {
    title: 'Supervised loss',
    hint: 'nats per token of the demonstrations',
    kind: 'number',
    lines: [['loss', 'loss']],
    stage: 'sft',
  },
  {
    title: 'Policy loss',
    hint: 'the objective; it need not fall',
    kind: 'number',
    lines: [['loss', 'loss']],
    stage: 'grpo',
  },
  { title: 'Gradient norm', hint: 'before clipping', kind: 'number', lines: [['grad_norm', 'norm']] },
  {
    title: 'Learning rate',
    hint: 'of the optimizer',
    kind: 'number',
    lines: [['learning_rate', 'rate']],
    isExact: true,
  },
];

/** Metrics that a panel already tells under another name. */
const TOLD = /^(clip_ratio\/region_mean|completions\/(min|max)_length|rewards\/.+\/mean)$/;

/** The panels that every run has, as far as it has logged them. */
export function mainPanels(curves: Curves): Panel[] {
  const plans = PLANS.filter(({ lines, stage, onlyIfChanging }) => {
    const present = lines.filter(([metric]) => curves.has(metric));
    const changing = present.some(([metric]) => curves.constant(metric) === undefined);
    const inStage = stage === undefined || curves.data.stages.some((each) => each.stage === stage);
    return present.length > 0 && inStage && (changing || !onlyIfChanging);
  });
  const [reward, ...others] = plans.map((plan) => panelOf(plan, curves));
  const parts = rewardParts(curves);
  return [...accuracy(curves), ...(reward ? [reward] : []), ...(parts ? [parts] : []), ...others];
}

/** Whatever else was logged: a panel for each metric that changes, and the others by their one value. */
export function otherPanels(curves: Curves): {
  readonly panels: Panel[];
  readonly constants: (readonly [name: string, value: number])[];
} {
  const shown = new Set(PLANS.flatMap(({ lines }) => lines.map(([metric]) => metric)));
  const names = curves.names().filter((name) => !shown.has(name) && !TOLD.test(name));
  const changing = names.filter((name) => curves.constant(name) === undefined);
  return {
    panels: [
      ...furtherFigures(curves),
      ...changing.map((name) =>
        panelOf(
          { title: name, hint: '', kind: name === 'step_time' ? 'seconds' : 'number', lines: [[name, '']] },
          curves,
        ),
      ),
    ],
    constants: names.flatMap((name) => {
      const value = curves.constant(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  };
}

/** What a metric is called, and how it is written, where several runs are laid over each other: a curve a run. */
export function metricPanels(curves: Curves): {
  readonly main: readonly MetricPanel[];
  readonly more: readonly MetricPanel[];
} {
  const planned = PLANS.flatMap(({ title, hint, kind, lines, stage }) =>
    lines
      .filter(([metric]) => curves.has(metric))
      .filter(() => stage === undefined || curves.data.stages.some((each) => each.stage === stage))
      .map(([metric, label]) => ({
        title: lines.length > 1 ? `${title}, ${label}` : title,
        hint,
        kind,
        metric,
        stage,
      })),
  );
  const shown = new Set(planned.map(({ metric }) => metric));
  const more = curves
    .names()
    .filter((name) => !shown.has(name))
    .map(
      (name) => ({ title: name, hint: '', kind: name === 'step_time' ? 'seconds' : 'number', metric: name }) as const,
    );
  return { main: planned, more };
}

export interface MetricPanel {
  readonly title: string;
  readonly hint: string;
  readonly kind: Kind;
  readonly metric: string;
  /** Only steps of this kind of stage. */
  readonly stage?: 'sft' | 'grpo';
}

function panelOf({ title, hint, kind, lines, band, stage, isExact }: Plan, curves: Curves): Panel {
  const series = lines.map(([metric, label]): Series => {
    const line: Series = {
      label,
      key: `${title}/${label}`,
      track: curves.metrics,
      // Hidden panels ask for none.
      get values() {
        return curves.column(metric, stage);
      },
      isExact,
      color: lines.length === 1 ? '--train' : undefined,
    };
    return band === undefined ? line : { ...line, low: curves.column(band[0]), high: curves.column(band[1]) };
  });
  return { title, hint, kind, series };
}

/** Held-out accuracy, with the intervals that each evaluation gives. */
function accuracy(curves: Curves): Panel[] {
  const title = 'Held-out accuracy';
  const samples = Math.max(0, ...curves.data.evaluations.map((evaluation) => evaluation.samples));
  const series = [
    { ...evaluated(curves, title, 'sampled', ({ sampled }) => sampled), color: '--sampled', isDashed: true },
    { ...evaluated(curves, title, 'greedy', ({ greedy }) => greedy), color: '--greedy' },
    { ...evaluated(curves, title, `pass@${samples}`, ({ pass }) => pass), color: '--reach' },
  ].filter(({ values }) => values.some((value) => value !== null));
  if (series.length === 0) return [];
  const hint = 'problems that training never sees; bands are 95 % intervals';
  return [{ title, hint, kind: 'share', series, isWide: true }];
}

/** Further figures of evaluations; `first_chance` is drawn beside `first`. */
function furtherFigures(curves: Curves): Panel[] {
  const names = [...new Set(curves.data.evaluations.flatMap(({ figures = {} }) => Object.keys(figures)))];
  const isBeside = (name: string, other: string): boolean => name.startsWith(`${other}_`);
  const heads = names.filter((name) => !names.some((other) => isBeside(name, other)));
  return heads.map((head) => ({
    title: head,
    hint: 'of sampled answers to held-out problems; bands are 95 % intervals',
    kind: 'number',
    series: [head, ...names.filter((name) => isBeside(name, head))].map((name) =>
      evaluated(curves, head, name === head ? 'policy' : name.slice(head.length + 1), ({ figures }) => figures?.[name]),
    ),
  }));
}

function evaluated(
  { data: { evaluations }, evaluations: track }: Curves,
  title: string,
  label: string,
  of: (evaluation: EvaluationData) => Interval | null | undefined,
): Series {
  const column = (end: 0 | 1 | 2): (number | null)[] => evaluations.map((evaluation) => of(evaluation)?.[end] ?? null);
  const key = `${title}/${label}`;
  return { label, key, track, values: column(0), low: column(1), high: column(2), isMeasured: true, isExact: true };
}

/** The rewards of each function, where there are several. */
function rewardParts(curves: Curves): Panel | undefined {
  const names = curves.names().flatMap((name) => /^rewards\/(.+)\/mean$/.exec(name)?.[1] ?? []);
  if (names.length < 2) return undefined;
  const lines = names.map((name) => [`rewards/${name}/mean`, name] as const);
  return panelOf({ title: 'Rewards by function', hint: 'means, before weighting', kind: 'number', lines }, curves);
}
