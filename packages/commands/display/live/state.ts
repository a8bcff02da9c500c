/** What the live region shows, reduced from a run's events. Pure: the clock comes with each event. */
import { meanOverBatches } from '../../../../src/grpo/metrics.ts';
import type { Example, StepMetrics } from '../../../../src/methods/records.ts';
import type { Estimate } from '../../../../src/methods/statistics.ts';
import type { SessionEvent } from '../../../../src/run/session.ts';
import type { StageWork } from '../../../estimate/work.ts';
import { type Curve, EMPTY_CURVE, type Range, withPoint } from './chart.ts';
import { type ShownGroup, shownGroup } from './group.ts';

/** Seconds after which an old step counts 1/e in a rate. */
const MEMORY_SECONDS = 15;
/** Seconds for which a completion stays, to be read, and a whole group. */
const READING_SECONDS = 3;
const GROUP_READING_SECONDS = 8;
/** Groups that are kept to be shown. */
const MOST_GROUPS = 6;

/** Recent steps, older ones faded: sums whose quotients are rates. */
interface Pace {
  readonly steps: number;
  /** From step to step, without evaluations. */
  readonly seconds: number;
  /** Completion tokens. */
  readonly tokens: number;
}

export interface LiveState {
  readonly work: readonly StageWork[];
  /** What tokens write. */
  readonly textOf: (tokens: Int32Array) => string;
  /** Milliseconds of the run's clock. */
  readonly startedAt: number;
  readonly now: number;
  /** -1 before the first stage. */
  readonly stageIndex: number;
  readonly step: number;
  /** Latest value of every metric of this stage. */
  readonly metrics: StepMetrics;
  /** Lines of the batches that were drawn for the next step. */
  readonly batches: readonly StepMetrics[];
  /** Over this stage: reward (loss in a supervised one), greedy and sampled accuracy on held-out problems. */
  readonly training: Curve;
  readonly greedy: Curve;
  readonly sampled: Curve;
  /** What the intervals of these evaluations span: an axis that is narrower would show their noise as a change. */
  readonly accuracyRange: Range | undefined;
  readonly accuracy: { readonly greedy: number; readonly sampled: number } | undefined;
  readonly example: (Example & { readonly shownAt: number }) | undefined;
  /** Those that can teach something first. */
  readonly groups: { readonly shown: readonly ShownGroup[]; readonly shownAt: number } | undefined;
  readonly pace: Pace;
  /** Evaluations of the plan that this stage has done. */
  readonly evaluations: number;
  /** Measured; undefined before the first. */
  readonly secondsPerEvaluation: number | undefined;
  /** Measured in the latest stage that has taken a step. */
  readonly secondsPerRow: number | undefined;
  /** The end of the step before, its token count (undefined after a resume), and whether an evaluation followed. */
  readonly last: { readonly at: number; readonly tokens: number | undefined; readonly evaluated: boolean };
}

const NO_CURVES = {
  training: EMPTY_CURVE,
  greedy: EMPTY_CURVE,
  sampled: EMPTY_CURVE,
  accuracyRange: undefined,
} as const;

const REST: Pace = { steps: 0, seconds: 0, tokens: 0 };

/** @param textOf  what tokens write */
export function startState(work: readonly StageWork[], now: number, textOf: (tokens: Int32Array) => string): LiveState {
  return {
    work,
    textOf,
    startedAt: now,
    now,
    stageIndex: -1,
    step: 0,
    metrics: {},
    batches: [],
    ...NO_CURVES,
    accuracy: undefined,
    example: undefined,
    groups: undefined,
    pace: REST,
    evaluations: 0,
    secondsPerEvaluation: undefined,
    secondsPerRow: undefined,
    last: { at: now, tokens: undefined, evaluated: false },
  };
}

/** The state after an event. @param now milliseconds of the run's clock */
export function reduce(before: LiveState, event: SessionEvent, now: number): LiveState {
  const state = { ...before, now };
  switch (event.type) {
    case 'stage':
      return enterStage(state, event);
    case 'rollouts':
      return withRollouts(state, event);
    case 'evaluation':
      return withEvaluation(state, event);
    case 'batch':
      return withBatch(state, event.metrics);
    case 'step':
      return withStep(state, event.step, event.metrics);
    default:
      return state;
  }
}

type Event<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;

function enterStage(state: LiveState, { index, step }: Event<'stage'>): LiveState {
  const { steps = 1, evaluations = 0 } = state.work[index] ?? {};
  return {
    ...state,
    stageIndex: index,
    step,
    metrics: {},
    batches: [],
    ...NO_CURVES,
    pace: REST,
    evaluations: Math.floor((evaluations * step) / steps),
    last: { at: state.now, tokens: index + step === 0 ? 0 : state.last.tokens, evaluated: false },
  };
}

function withEvaluation(state: LiveState, { moment, step, evaluation }: Event<'evaluation'>): LiveState {
  const [example] = evaluation.examples;
  const isFirst = moment === 'baseline';
  return {
    ...withAccuracy(state, step, evaluation.accuracy, evaluation.meanAtK),
    example: state.example ?? (example && { ...example, shownAt: state.now }),
    evaluations: state.evaluations + (moment === 'requested' ? 0 : 1),
    // The baseline is all that happens before a first step.
    secondsPerEvaluation: isFirst ? (state.now - state.last.at) / 1000 : state.secondsPerEvaluation,
    last: isFirst ? { ...state.last, at: state.now } : { ...state.last, evaluated: true },
  };
}

type Interval = Pick<Estimate, 'mean' | 'low' | 'high'>;

/** An evaluation on the charts. */
export function withAccuracy(state: LiveState, step: number, greedy: Interval, sampled: Interval): LiveState {
  const { accuracyRange: before = greedy } = state;
  const accuracyRange = {
    low: Math.min(before.low, greedy.low, sampled.low),
    high: Math.max(before.high, greedy.high, sampled.high),
  };
  return {
    ...state,
    greedy: withPoint(state.greedy, step, greedy.mean),
    sampled: withPoint(state.sampled, step, sampled.mean),
    accuracyRange,
    accuracy: { greedy: greedy.mean, sampled: sampled.mean },
  };
}

/** A batch that no step follows at once: its figures are shown, and count in those of the step that it was drawn for. */
export function withBatch(state: LiveState, line: StepMetrics): LiveState {
  const batches = [...state.batches, line];
  return { ...state, batches, metrics: { ...state.metrics, ...meanOverBatches(batches) } };
}

/** The figures of a step, and its point on the chart: the reward, or the loss of a supervised stage. */
export function withFigures(state: LiveState, step: number, line: StepMetrics): LiveState {
  const metrics = meanOverBatches([...state.batches, line]);
  // A step on the rollouts of an earlier one has no reward of its own.
  const value = metrics.reward ?? (metrics.stage === 'sft' ? metrics.loss : undefined);
  return {
    ...state,
    step,
    metrics: { ...state.metrics, ...metrics },
    batches: [],
    training: value === undefined ? state.training : withPoint(state.training, step, Number(value)),
  };
}

function withStep(state: LiveState, step: number, metrics: StepMetrics): LiveState {
  const { last, pace } = state;
  const stepSeconds = Number(metrics.step_time);
  const tokens = Number(metrics.num_tokens);
  const betweenSteps = (state.now - last.at) / 1000;
  const seconds = last.evaluated ? stepSeconds : betweenSteps;
  const fade = Math.exp(-seconds / MEMORY_SECONDS);
  const next: Pace = {
    steps: fade * pace.steps + 1,
    seconds: fade * pace.seconds + seconds,
    tokens: fade * pace.tokens + tokens - (last.tokens ?? tokens),
  };
  const { perStep = 1 } = state.work[state.stageIndex] ?? {};
  return {
    ...withFigures(state, step, metrics),
    pace: next,
    secondsPerEvaluation: last.evaluated ? Math.max(0, betweenSteps - stepSeconds) : state.secondsPerEvaluation,
    secondsPerRow: next.seconds / next.steps / perStep,
    last: { at: state.now, tokens, evaluated: false },
  };
}

/** Groups, and one completion of the first that can teach something, each for long enough to be read. */
function withRollouts(state: LiveState, { step, groups: credited }: Event<'rollouts'>): LiveState {
  const { example, groups, now } = state;
  const sorted = [...credited].sort((a, b) => Number(a.dead) - Number(b.dead)).slice(0, MOST_GROUPS);
  const [first] = sorted;
  const rollout = first?.rollouts[0];
  if (first === undefined || rollout === undefined) return state;
  const isRead = (shown: { readonly shownAt: number } | undefined, seconds: number): boolean =>
    shown === undefined || now - shown.shownAt >= seconds * 1000;
  return {
    ...state,
    ...(isRead(example, READING_SECONDS) && {
      example: { prompt: first.item.prompt, completion: rollout.text, verdict: rollout.verdict, shownAt: now },
    }),
    ...(isRead(groups, GROUP_READING_SECONDS) && {
      groups: { shown: sorted.map((group) => shownGroup(group, step, state.textOf)), shownAt: now },
    }),
  };
}

/** Share of the run's work that is done, 0 to 1. */
export function shareDone({ work, stageIndex, step, evaluations }: LiveState): number {
  const rowsOf = ({ perStep, perEvaluation }: StageWork, steps: number, evaluated: number): number =>
    steps * perStep + evaluated * perEvaluation;
  const total = work.reduce((sum, stage) => sum + rowsOf(stage, stage.steps, stage.evaluations), 0);
  const done = work.reduce((sum, stage, index) => {
    if (index < stageIndex) return sum + rowsOf(stage, stage.steps, stage.evaluations);
    return index === stageIndex ? sum + rowsOf(stage, step, evaluations) : sum;
  }, 0);
  return Math.min(1, done / total);
}

/** Seconds that the run will still take; undefined before anything was measured. */
export function secondsLeft(state: LiveState): number | undefined {
  const { work, stageIndex, step, evaluations, secondsPerRow, pace } = state;
  if (secondsPerRow === undefined) return undefined;
  return work.slice(Math.max(0, stageIndex)).reduce((sum, stage, ahead) => {
    const isNow = ahead === 0;
    const perStep = isNow && pace.steps > 0 ? pace.seconds / pace.steps : stage.perStep * secondsPerRow;
    const perEvaluation = state.secondsPerEvaluation ?? stage.perEvaluation * secondsPerRow;
    const steps = stage.steps - (isNow ? step : 0);
    const toEvaluate = Math.max(0, stage.evaluations - (isNow ? evaluations : 0));
    return sum + steps * perStep + toEvaluate * perEvaluation;
  }, 0);
}

/** Completion tokens per second of the recent steps; undefined before there were two. */
export function tokensPerSecond({ pace }: LiveState): number | undefined {
  return pace.tokens > 0 ? pace.tokens / pace.seconds : undefined;
}
