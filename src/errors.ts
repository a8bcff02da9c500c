/**
 * The one family of errors that this package throws.
 *
 * Each carries a stable `code` and its facts as fields; the message names the key, the value, the rule and
 * the remedy. The command line prints `message` alone: a user's mistake never shows a stack trace.
 */
export class RlvrError extends Error {
  /** Stable identifier of the kind of mistake, for scripts and tests. */
  readonly code: string;
  /** The facts that the message was rendered from. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.facts = facts;
  }

  /** Whether it is an error of this package, from whichever copy of it a user's file imports: its message is made for people. */
  static is(error: unknown): error is RlvrError {
    return error instanceof Error && 'code' in error && 'facts' in error;
  }
}

/** A mistake in the YAML, in a flag, or in a combination of keys. */
export class ConfigError extends RlvrError {}

/** A backend that cannot start, was lost, or lacks a limit. */
export class BackendError extends RlvrError {}

/** The planned buffers do not fit; says which is largest and what to lower. */
export class MemoryPlanError extends RlvrError {}

/** A non-finite value, an off-policy first step, or bits that should agree and do not. */
export class NumericsError extends RlvrError {}

/** A checkpoint or run directory that is missing, damaged, or of another run. */
export class CheckpointError extends RlvrError {}

/** A task, split, tokenizer or dataset that cannot give what was asked. */
export class DataError extends RlvrError {}

/** A reward function or task of the user that does not keep its contract: says file, function, and what it gave. */
export class PluginError extends RlvrError {}

/** A model of the Hugging Face hub that is not there, or cannot be fetched into the cache. */
export class HubError extends RlvrError {}

/** A fleet that cannot be reached or joined, or a message of it that is not what it has to be. */
export class FleetError extends RlvrError {}
