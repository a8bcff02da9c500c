/** Events for trackers and users' reporters: plain data, in the logs' terms. `step` counts within its stage. */
import type { TrainEvent } from '../grpo/events.ts';
import { evaluationMetrics } from '../grpo/metrics.ts';
import { type ConfiguredModel, type Progress, stageOf } from '../grpo/run.ts';
import { rewardLabel } from '../rewards/module_file.ts';
import type { FlatConfig } from './flat_config.ts';
import type { JsonObject } from './json.ts';
import { completionRecords } from './logs/completions.ts';
import type { Summary } from './summary.ts';

type At = {
  readonly stage: 'sft' | 'grpo';
  readonly step: number;
};

/** An event of a session. */
export type ReporterEvent =
  /** A session begins: that of a new run, or of one resumed from a checkpoint. */
  | {
      readonly type: 'start';
      readonly directory: string;
      /** By the names of `--set`: `seed`, `task.name`, `grpo.learning_rate`. */
      readonly config: FlatConfig;
      readonly resumedFrom?: string;
    }
  /** A stage begins, or continues; `index` counts from 0. */
  | (At & { readonly type: 'stage'; readonly index: number; readonly maxSteps: number })
  /** An optimizer step: the line of metrics.jsonl. */
  | (At & { readonly type: 'step'; readonly metrics: Readonly<Record<string, number | string>> })
  /**
   * A generation batch that no step follows at once, because it has no live group or waits: its line of metrics.jsonl.
   */
  | (At & { readonly type: 'batch'; readonly metrics: Readonly<Record<string, number | string>> })
  /** An evaluation: its numbers as in metrics.jsonl. `moment`: baseline, periodic, final or requested. */
  | (At & { readonly type: 'evaluation'; readonly moment: string; readonly metrics: Readonly<Record<string, number>> })
  /** Two groups of a step: lines of completions.jsonl. */
  | (At & { readonly type: 'completions'; readonly completions: readonly JsonObject[] })
  /** A diagnosis of what keeps the run from learning, in words. */
  | (At & { readonly type: 'diagnosis'; readonly code: string; readonly level: string; readonly message: string })
  /** Everything up to here is saved. */
  | { readonly type: 'checkpoint'; readonly name: string }
  /** The last one: `summary` of a run that has finished. */
  | { readonly type: 'end'; readonly end: 'finished' | 'stopped' | 'failed'; readonly summary?: Summary };

/**
 * A user's reporter: the default export of a file that `reporters` names, or what that export returns for its options.
 * It runs in its own thread and receives one event at a time.
 */
export interface Reporter {
  /** The run continues whatever it does or throws. The next event waits for a promise; the run does not. */
  report(event: ReporterEvent): void | Promise<void>;
}

/** The reporter event for a trainer's event; undefined: none. */
export function reported(run: ConfiguredModel & Progress, event: TrainEvent): ReporterEvent | undefined {
  switch (event.type) {
    case 'stage':
    case 'step':
    case 'batch':
      return event;
    case 'evaluation': {
      const { type, step, stage, moment, evaluation, seconds } = event;
      return { type, step, stage, moment, metrics: { ...evaluationMetrics(evaluation), eval_runtime: seconds } };
    }
    case 'diagnosis': {
      const { code, level, message } = event.diagnosis;
      return { type: 'diagnosis', step: event.step, stage: event.stage, code, level, message };
    }
    case 'rollouts': {
      const stage = stageOf(run);
      const names = stage.stage === 'grpo' ? stage.rewards.map(rewardLabel) : [];
      const textOf = (tokens: Int32Array): string => run.engine.tasks.codec.decode(tokens);
      const completions = completionRecords(event.step, event.groups, names, textOf);
      return { type: 'completions', stage: stage.stage, step: event.step, completions };
    }
    case 'end':
      return undefined;
  }
}
