/** What threads are started for, and how they answer. */
import type { RewardOptions } from '../../../src/rewards/definition.ts';
import type { SandboxReply } from '../../../src/rewards/sandbox/sandbox.ts';
import type { ModuleReference } from '../../../src/run/opened_config.ts';

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

/** A model that scores texts. */
export interface ClassifierStart {
  readonly kind: 'classifier';
  /** Absolute. */
  readonly folder: string;
  readonly label: string | undefined;
  readonly pays: 'label' | 'likeness';
  /** Each text is compared with another, or read as the second of a pair. */
  readonly isCompared: boolean;
  /** What is imported for `@huggingface/transformers`. */
  readonly library: string;
}

/** Answers a question, which is typed where it is asked. */
export type Answer = (question: never) => SandboxReply | Promise<SandboxReply>;
