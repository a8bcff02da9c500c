/** How long a run under way will still take, by what its log says of the last steps: nothing but the log is asked. */

/** A stage of the config. */
export interface PlannedStage {
  readonly stage: string;
  readonly max_steps: number;
  /** 0 or absent: no periodic evaluations. */
  readonly eval_steps?: number | undefined;
}

/** Where a run is, and how fast. */
export interface Pace {
  /** Position in the list of stages. */
  readonly stage: number;
  /** Steps that were taken in it. */
  readonly step: number;
  /** Mean of the last steps; undefined before the first of the stage. */
  readonly secondsPerStep: number | undefined;
  /** The last evaluation's; undefined where the log does not say. */
  readonly secondsPerEvaluation: number | undefined;
}

export interface TimeLeft {
  readonly seconds: number;
  /** The next stage of another kind, whose pace is unknown yet; `seconds` end before it. */
  readonly next?: string;
}

/** Undefined before there is a pace. */
export function timeLeft(stages: readonly PlannedStage[], pace: Pace): TimeLeft | undefined {
  const { secondsPerStep, secondsPerEvaluation = 0 } = pace;
  const current = stages[pace.stage];
  if (secondsPerStep === undefined || current === undefined) return undefined;
  let seconds = 0;
  for (const [index, stage] of stages.entries()) {
    if (index < pace.stage) continue;
    if (stage.stage !== current.stage) return { seconds, next: stage.stage };
    const step = index === pace.stage ? pace.step : 0;
    const evaluations = evaluationsLeft(stage, step, index === stages.length - 1);
    seconds += Math.max(0, stage.max_steps - step) * secondsPerStep + evaluations * secondsPerEvaluation;
  }
  return { seconds };
}

/** Those every `eval_steps`, and the one after the last step of the run. */
function evaluationsLeft({ max_steps, eval_steps = 0 }: PlannedStage, step: number, isLast: boolean): number {
  const periodic = eval_steps > 0 ? Math.floor(max_steps / eval_steps) - Math.floor(step / eval_steps) : 0;
  const final = isLast && (eval_steps === 0 || max_steps % eval_steps !== 0) ? 1 : 0;
  return Math.max(0, periodic + final);
}
