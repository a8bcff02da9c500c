/** What every part of a method may know about its step. */
import type { SearchSpace } from '../data/search_text.ts';
import type { TaskItem } from '../data/task.ts';
import type { Rng } from '../kernels/philox.ts';
import type { Ledger } from './ledger.ts';
import type { SharedStates } from './shared_states.ts';
import type { GrpoStageConfig } from './stage.ts';

/** What a method may know about the step under way. */
export interface StepContext {
  /** Optimizer steps already taken in this stage. */
  readonly step: number;
  /** Share of the stage that is over, in [0, 1). */
  readonly progress: number;
  readonly stage: GrpoStageConfig;
  /** Its own random stream, named by seed, stage, step and method: same seed, same bits. */
  readonly rng: Rng;
  readonly ledger: Ledger;
  /** What the methods of a stage share and keep, by name. */
  readonly shared: Pick<SharedStates, 'get'>;
  /** Tokens of the vocabulary. */
  readonly vocabularySize: number;
  /** What the answers to a problem search; undefined where they do not. */
  searchSpace(item: TaskItem): SearchSpace<unknown> | undefined;
  /** What a token writes; a text may need several tokens for one character. */
  tokenText(id: number): string;
  /** Logs a number in metrics.jsonl, as `<id>/<name>`. */
  metric(name: string, value: number): void;
}

/** An answer without EOS, and the word after it that makes the next request. */
export type FollowUpTurn = readonly [reply: Int32Array, word: string];
