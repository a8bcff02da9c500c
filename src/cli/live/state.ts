/** What the live region shows, reduced from a run's events. Pure: the clock comes with each event. */
import type { Example, RolloutGroup, StepMetrics } from '../../methods/records.ts';
import type { StageWork } from '../../planning/work.ts';
import type { SessionEvent } from '../../run/session.ts';
import { type Curve, EMPTY_CURVE, withPoint } from './chart.ts';

/** Seconds after which an old step counts 1/e in a rate. */
const MEMORY_SECONDS = 15;
/** Seconds for which a completion stays, to be read. */
const READING_SECONDS = 3;

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
  /** Milliseconds of the run's clock. */
  readonly startedAt: number;
  readonly now: number;
  /** -1 before the first stage. */
  readonly stageIndex: number;
  readonly step: number;
  /** Latest value of every metric of this stage. */
  readonly metrics: StepMetrics;
  /** Over this stage: reward (loss in a supervised one), and greedy accuracy on held-out problems. */
  readonly training: Curve;
  readonly heldOut: Curve;
  readonly accuracy: { readonly greedy: number; readonly sampled: number } | undefined;
  readonly example: (Example & { readonly shownAt: number }) | undefined;
  readonly pace: Pace;
  /** Evaluations of the plan that this stage has behind it. */
  readonly evaluations: number;
  /** Measured; undefined before the first. */
  readonly secondsPerEvaluation: number | undefined;
  /** Of the latest stage that has taken a step. */
  readonly secondsPerRow: number | undefined;
  /** The end of the step before, its token count (undefined after a resume), and whether an evaluation followed. */
  readonly last: { readonly at: number; readonly tokens: number | undefined; readonly evaluated: boolean };
}

const REST: Pace = { steps: 0, seconds: 0, tokens: 0 };

export function startState(work: readonly StageWork[], now: number): LiveState {
  return {
    work,
    startedAt: now,
    now,
    stageIndex: -1,
    step: 0,
    metrics: {},
    training: EMPTY_CURVE,
    heldOut: EMPTY_CURVE,
    accuracy: undefined,
    example: undefined,
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
      return { ...state, example: nextExample(state, event.groups) };
    case 'evaluation':
      return withEvaluation(state, event);
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
    training: EMPTY_CURVE,
    heldOut: EMPTY_CURVE,
    pace: REST,
    evaluations: Math.floor((evaluations * step) / steps),
    last: { at: state.now, tokens: index + step === 0 ? 0 : state.last.tokens, evaluated: false },
  };
}

function withEvaluation(state: LiveState, { moment, step, evaluation }: Event<'evaluation'>): LiveState {
  const greedy = evaluation.accuracy.mean;
  const [example] = evaluation.examples;
  const isFirst = moment === 'baseline';
  return {
    ...state,
    heldOut: withPoint(state.heldOut, step, greedy),
    accuracy: { greedy, sampled: evaluation.meanAtK.mean },
    example: state.example ?? (example && { ...example, shownAt: state.now }),
    evaluations: state.evaluations + (moment === 'requested' ? 0 : 1),
    // The baseline is all that happens before a first step.
    secondsPerEvaluation: isFirst ? (state.now - state.last.at) / 1000 : state.secondsPerEvaluation,
    last: isFirst ? { ...state.last, at: state.now } : { ...state.last, evaluated: true },
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
  const value = metrics.reward ?? (metrics.stage === 'sft' ? metrics.loss : undefined);
  const { perStep = 1 } = state.work[state.stageIndex] ?? {};
  return {
    ...state,
    step,
    metrics: { ...state.metrics, ...metrics },
    training: value === undefined ? state.training : withPoint(state.training, step, Number(value)),
    pace: next,
    secondsPerEvaluation: last.evaluated ? Math.max(0, betweenSteps - stepSeconds) : state.secondsPerEvaluation,
    secondsPerRow: next.seconds / next.steps / perStep,
    last: { at: state.now, tokens, evaluated: false },
  };
}

/** One completion of a group that can teach something, for long enough to be read. */
function nextExample({ example, now }: LiveState, groups: readonly RolloutGroup[]): LiveState['example'] {
  if (example !== undefined && now - example.shownAt < READING_SECONDS * 1000) return example;
  const group = groups.find(({ dead }) => !dead) ?? groups[0];
  const rollout = group?.rollouts[0];
  if (group === undefined || rollout === undefined) return example;
  return { prompt: group.item.prompt, completion: rollout.text, verdict: rollout.verdict, shownAt: now };
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
