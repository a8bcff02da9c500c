/**
 * Work between two points of a run may be cut off: the run returns to the first, and a resume repeats the work to the
 * same bits. A step can be cut off until its weights change, an evaluation until it is done.
 */
import { nextTask } from '../kernels/next_task.ts';
import type { StageMethods } from '../methods/create.ts';
import type { Ledger } from '../methods/ledger.ts';
import { methodStates, restoreMethods } from '../methods/part_states.ts';
import type { Engine } from './engine.ts';
import type { Journal, RunState } from './journal.ts';

/** Ends work early: an `AbortSignal`, described by its shape because not every project has the DOM's types. */
export interface Interruption {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** @throws the reason, once it is aborted */
  throwIfAborted(): void;
}

/** How `train` can be cut off. */
export interface Interruptible {
  /** Once aborted, `train` throws its reason as soon as it can, with the run at the newest point. */
  readonly signal?: Interruption | undefined;
  /** Called at each point: a step's end, a stage's beginning, before an evaluation. */
  readonly onPoint?: () => void;
}

/** What returns to a point. */
interface Interrupted {
  readonly engine: Pick<Engine, 'policy'>;
  readonly journal: Journal;
  /** [stages] */
  readonly methods: readonly (StageMethods | undefined)[];
  readonly ledger: Ledger;
}

/** Milliseconds that a thread may go without handling messages and signals. */
const DEAF_MS = 50;

/**
 * The points that a run returns to. Its events are passed on by `cutOff`; between two of them the work may end early, from a
 * `mark` until the weights change or `pass` is called.
 */
export class Points {
  readonly #run: Interrupted;
  readonly #options: Interruptible;
  /** Undefined while the work cannot be undone. */
  #goBack: (() => void) | undefined;
  /** Ends the work under way; undefined between two events. */
  #interruption: Engine['policy']['engine']['interruption'];

  constructor(run: Interrupted, options: Interruptible) {
    this.#run = run;
    this.#options = options;
  }

  /** Work cut off from now on returns here. */
  mark(): void {
    const { engine, journal, methods, ledger } = this.#run;
    const { state } = journal;
    this.#options.onPoint?.();
    if (this.#options.signal === undefined) return;
    const kept: RunState = { ...state, seconds: { ...state.seconds }, watch: structuredClone(state.watch) };
    const stage = methods[state.stageIndex];
    const ofMethods = stage && methodStates(stage);
    const ofLedger = ledger.mark();
    this.#goBack = () => {
      Object.assign(state, kept);
      if (stage && ofMethods) restoreMethods(stage, ofMethods);
      ledger.goBack(ofLedger);
    };
    engine.policy.engine.interruption = this.#interruption;
  }

  /** Makes the work since the mark permanent. An optimizer step does so by itself. */
  pass(): void {
    this.#goBack = undefined;
    this.#run.engine.policy.engine.interruption = undefined;
  }

  /** The same events. @throws the signal's reason once it is aborted, with the run at the newest point */
  async *cutOff<Event>(events: AsyncGenerator<Event>): AsyncGenerator<Event> {
    const { signal } = this.#options;
    if (signal === undefined) return yield* events;
    try {
      for (;;) {
        const next = await this.#next(events, signal);
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await events.return(undefined);
    }
  }

  async #next<Event>(events: AsyncGenerator<Event>, signal: Interruption): Promise<IteratorResult<Event>> {
    const { policy } = this.#run.engine;
    const { engine } = policy;
    const interruption = attention(signal);
    this.#interruption = interruption;
    if (this.#goBack !== undefined) engine.interruption = interruption;
    try {
      const next = await events.next();
      if (engine.interruption !== interruption) this.#goBack = undefined; // an optimizer step removed it
      return next;
    } catch (error) {
      // Code of the user's may have made another error of it.
      if (!signal.aborted || engine.interruption !== interruption) throw error;
      policy.forgetGradients();
      this.#goBack?.();
      throw signal.reason;
    } finally {
      this.#interruption = undefined;
      engine.interruption = undefined;
    }
  }
}

/** Makes the check that a policy calls before each replay; it throws once the signal is aborted. */
function attention(signal: Interruption): () => Promise<void> {
  let attentiveAt = performance.now();
  return async () => {
    if (performance.now() - attentiveAt >= DEAF_MS) {
      await nextTask();
      attentiveAt = performance.now();
    }
    signal.throwIfAborted();
  };
}

/**
 * Runs work of a policy that stops at the next replay, or the next part of a long one, once the signal is aborted. Its
 * results are then useless, accumulated gradients included; the weights are unchanged.
 *
 * @throws the signal's reason
 */
export async function untilAborted<T>(
  { policy }: Pick<Engine, 'policy'>,
  signal: Interruption,
  work: () => Promise<T>,
): Promise<T> {
  const { engine } = policy;
  const interruption = attention(signal);
  engine.interruption = interruption;
  try {
    return await work();
  } catch (error) {
    // Code of the user's may have made another error of it. An optimizer step has taken the interruption away.
    if (!signal.aborted || engine.interruption !== interruption) throw error;
    policy.forgetGradients();
    throw signal.reason;
  } finally {
    engine.interruption = undefined;
  }
}

/** Milliseconds between two checks of the signal while waiting. */
const LOOK_MS = 200;

/** Waits for remote work, such as verdicts and rewards. @throws the signal's reason if it is aborted meanwhile */
export async function attentively<T>({ policy }: Partial<Pick<Engine, 'policy'>>, work: Promise<T>): Promise<T> {
  const interruption = policy?.engine.interruption;
  if (interruption === undefined) return work;
  let timer: ReturnType<typeof setInterval> | undefined;
  const cut = new Promise<never>((_, reject) => {
    const check = async (): Promise<void> => interruption();
    timer = setInterval(() => check().catch(reject), LOOK_MS);
  });
  try {
    return await Promise.race([work, cut]);
  } finally {
    clearInterval(timer);
  }
}
