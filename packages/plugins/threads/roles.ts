/** What threads are started for, and how they answer. */
import type { RewardOptions } from '../../../src/rewards/definition.ts';
import type { ModuleReference } from '../../../src/run/opened_config.ts';
import type { ClassifierStart } from '../../zoo/rewards/classifier/classifier.node.ts';
import type { SandboxReply } from '../../zoo/rewards/sandbox/sandbox.ts';

/** What a thread is started for. */
export type ThreadStart =
  | RewardStart
  | ReporterStart
  /** A file is imported. */
  | { readonly kind: 'trial'; readonly reference: ModuleReference }
  /** Verdicts, of whichever task is asked for. */
  | { readonly kind: 'judge' }
  | ClassifierStart;

export interface RewardStart {
  readonly kind: 'reward';
  readonly reference: ModuleReference;
  /** What the reward is called in metrics and messages. */
  readonly label: string;
  readonly options: RewardOptions;
  /** How its function is called; absent: a batch is given to its `score`. */
  readonly signature?: 'trl';
}

export interface ReporterStart {
  readonly kind: 'reporter';
  readonly reference: ModuleReference;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Answers a question, which is typed where it is asked. */
export type Answer = (question: never) => SandboxReply | Promise<SandboxReply>;
