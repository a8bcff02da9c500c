/** Answers as they come: checked, compared, taken or refused. What is taken is used once. */
import { FleetError } from '../../src/errors.ts';
import type { Generator } from '../../src/grpo/generator.ts';
import type { Reply } from './cards.ts';
import { Ledger } from './ledger.ts';
import {
  answerDigest,
  completionBytes,
  decodeResult,
  encodeResult,
  type FleetResult,
  type FleetTask,
  hasOddFloats,
  readResultHead,
  type SampledCompletion,
  WORKER_ID_BYTES,
} from './protocol.ts';
import { openSigned } from './signature.ts';
import type { Tally } from './tally.ts';
import type { Trust } from './trust/trust.ts';

/** [requests][rollouts] */
type Completions = readonly (readonly SampledCompletion[])[];

/** An answer that was looked at. */
interface Taken {
  readonly completions: Completions;
  /** That it took. */
  readonly seconds: number;
  /** All of it was sampled by the learner, too. */
  readonly isChecked: boolean;
}

/** An answer that was used without that, by the weights that are sampled from. */
interface Unchecked {
  readonly task: FleetTask;
  readonly worker: string;
  readonly completions: Completions;
}

/** The learner's own id, where it answers a task itself. */
const LEARNER = '0'.repeat(2 * WORKER_ID_BYTES);
/** Workers whose signatures are remembered; a flood of keys is no reason to run out of memory. */
const MOST_SIGNING = 10_000;
/** Groups of a liar that are named. */
const MOST_NAMED = 8;

export interface AnswersOptions {
  readonly trust: Trust;
  readonly tally: Tally;
  readonly say: (line: string) => void;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
  /** Tokens are below it. */
  readonly vocabSize: () => number;
  /** How a worker is called. */
  readonly nameOf: (worker: string) => string;
  /** A worker has answered, after this many seconds. */
  readonly onAnswer: (task: number, worker: string, seconds: number) => void;
  /** An answer was refused: the task has none. */
  readonly onRefused: (task: number) => void;
  readonly onShutOut: (worker: string) => void;
}

export class Answers {
  readonly #options: AnswersOptions;
  readonly #ledger = new Ledger();
  /** Tasks of the call under way. */
  readonly #tasks = new Map<number, FleetTask>();
  /** Answers of them that were looked at. */
  readonly #taken = new Map<number, Taken>();
  /** The newest of those that were used. */
  #unchecked: Unchecked[] = [];
  /** By worker: version of the weights of its first answer that was used and not checked. */
  readonly #uncheckedFrom = new Map<string, number>();
  #isOddSaid = false;
  /** The oldest of these versions of a worker that has lied. */
  #lie: number | undefined;
  /** What has come and was not looked at. */
  #arrived: FleetResult[] = [];
  /** Answers that differ from one that came before. */
  #disputed: FleetResult[] = [];

  /** Workers that sign their answers. */
  readonly #signing = new Set<string>();
  /** By task: workers that are shut out, from which it was taken. */
  readonly #handedBack = new Map<number, Set<string>>();

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  open(task: FleetTask): void {
    this.#tasks.set(task.id, task);
    this.#ledger.give(task.id, this.#options.clock());
  }

  /** Tasks are over: their answers are used, or no longer wanted. */
  close(tasks: readonly number[], areUsed: boolean): void {
    if (areUsed) this.#ledger.use(tasks);
    for (const task of tasks) {
      if (areUsed) this.#remember(task);
      else {
        this.#ledger.drop(task);
        this.#options.tally.unused(this.#taken.get(task)?.seconds ?? 0);
      }
      this.#tasks.delete(task);
      this.#taken.delete(task);
      this.#handedBack.delete(task);
    }
    const isOpen = ({ task }: FleetResult): boolean => this.#tasks.has(task);
    this.#arrived = this.#arrived.filter(isOpen);
    this.#disputed = this.#disputed.filter(isOpen);
  }

  /** What is used and was not checked can be sampled again for as long as its weights are there. */
  #remember(number: number): void {
    const task = this.#tasks.get(number);
    const taken = this.#taken.get(number);
    const worker = this.workerOf(number);
    if (task === undefined || taken === undefined || taken.isChecked || worker === undefined) return;
    const { sha256, version } = task.weights;
    if (this.#unchecked[0]?.task.weights.sha256 !== sha256) this.#unchecked = [];
    this.#unchecked.push({ task, worker, completions: taken.completions });
    if (!this.#uncheckedFrom.has(worker)) this.#uncheckedFrom.set(worker, version);
  }

  /** @throws FleetError `fleet-lie` where answers of a liar were used unchecked, after which the run goes back */
  refuseLies(): void {
    if (this.#lie === undefined) return;
    const rule = `what it is since the weights of step ${this.#lie} rests on answers of a worker that lied`;
    throw new FleetError('fleet-lie', `fleet: the run has to go back: ${rule}.`);
  }

  /** What `fleet-lie` is thrown for: version of the oldest weights of these answers. It is not thrown for them again. */
  takeLie(): number | undefined {
    const lie = this.#lie;
    this.#lie = undefined;
    return lie;
  }

  /**
   * Samples all again that was used without a check; who lied is shut out.
   * @param weights  SHA-256 of those at hand
   * @throws FleetError as `refuseLies`
   */
  async recheck(local: Generator, weights: string): Promise<void> {
    for (const { task, worker, completions } of this.#unchecked.splice(0)) {
      if (task.weights.sha256 !== weights || this.#options.trust.reasonFor(worker) !== undefined) continue;
      const wrong = await this.#firstWrong(task, completions, places(completions), local);
      if (wrong !== undefined) this.#shutOut(worker, wrong);
    }
    this.refuseLies();
  }

  /** Undefined until it was looked at. */
  of(task: number): Completions | undefined {
    return this.#taken.get(task)?.completions;
  }

  /** Whose answer was taken; undefined where it is the learner's own. */
  workerOf(task: number): string | undefined {
    const worker = this.#ledger.answerOf(task)?.worker;
    return worker === LEARNER ? undefined : worker;
  }

  /** Whether a worker signs what it answers. */
  signs(worker: string): boolean {
    return this.#signing.has(worker);
  }

  /** Tasks without an answer. */
  waiting(): number[] {
    return this.#ledger.waiting();
  }

  /** Those of them that were given out last at `before` or earlier. */
  overdue(before: number): number[] {
    return this.#ledger.overdue(before);
  }

  /** The message of a worker that signs. @param session  of this learner @returns the reply to it */
  async hearSigned(session: string, message: Uint8Array): Promise<Reply> {
    try {
      return this.#hear(await openSigned(session, message), true);
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      this.#options.tally.refused(); // the worker that it names has not sent it
      return { status: 'refused', reason: error.message };
    }
  }

  /** The message of a worker. @returns the reply to it */
  hear(bytes: Uint8Array): Reply {
    return this.#hear(bytes, false);
  }

  #hear(bytes: Uint8Array, isSigned: boolean): Reply {
    const { trust, tally } = this.#options;
    let head: ReturnType<typeof readResultHead> | undefined;
    try {
      head = readResultHead(bytes);
      const { task: number, worker } = head;
      if (worker === LEARNER) {
        tally.refused();
        this.#handBack(head);
        return { status: 'refused', reason: "this is the learner's own name" };
      }
      if (isSigned && this.#signing.size < MOST_SIGNING) this.#signing.add(worker);
      if (!isSigned && this.#signing.has(worker)) {
        tally.refused();
        return { status: 'refused', reason: 'this worker signs what it answers, and this has no signature' };
      }
      const reason = trust.reasonFor(worker);
      if (reason !== undefined) {
        this.#handBack(head);
        return { status: 'refused', reason };
      }
      const task = this.#tasks.get(number);
      if (task !== undefined) return this.#receive(decodeResult(bytes, task, this.#options.vocabSize()), bytes);
      tally.doubled(head.seconds);
      if (this.#ledger.receive(number, { worker, digest: answerDigest(bytes) }) === 'different')
        this.#suspect(number, worker);
      return { status: 'over' };
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      if (head === undefined) {
        tally.refused();
        if (this.#isOddSaid) return { status: 'refused', reason: error.message };
        this.#isOddSaid = true;
        this.#options.say(`fleet: a worker sends what is no answer, and not who it is: ${error.message}`);
      } else {
        this.#shutOut(head.worker, error.message);
        this.#handBack(head);
      }
      return { status: 'refused', reason: error.message };
    }
  }

  /** Looks at one thing that has come. @returns whether there was one */
  async look(local: Generator): Promise<boolean> {
    const [disputed] = this.#disputed;
    if (disputed !== undefined) {
      this.#disputed.shift();
      await this.#settle(disputed, local);
      return true;
    }
    const arrived = this.#arrived.shift();
    if (arrived === undefined) return false;
    const { task: number, worker, completions, seconds } = arrived;
    const isOdd = completions.some(hasOddFloats);
    const checked = this.#options.trust.groupsToCheck(worker, completions.length, isOdd);
    const task = this.#tasks.get(number) as FleetTask;
    const wrong = checked.length === 0 ? undefined : await this.#firstWrong(task, completions, checked, local);
    if (this.#options.trust.reasonFor(worker) !== undefined) return true; // shut out meanwhile
    if (wrong === undefined) {
      if (checked.length > 0) this.#options.trust.passed(worker);
      this.#taken.set(number, { completions, seconds, isChecked: checked.length === completions.length });
      this.#options.tally.sampledThere(completions.length);
    } else this.#shutOut(worker, wrong);
    return true;
  }

  /** The learner answers a task itself. */
  async sampleHere(number: number, local: Generator): Promise<void> {
    const { settings, requests } = this.#tasks.get(number) as FleetTask;
    const { completions } = await local.sample(requests, settings);
    const bytes = encodeResult({ task: number, worker: LEARNER, seconds: 0, completions });
    if (this.#ledger.receive(number, { worker: LEARNER, digest: answerDigest(bytes) }) !== 'first') return;
    this.#taken.set(number, { completions, seconds: 0, isChecked: true });
    this.#options.tally.sampledHere(completions.length);
  }

  #receive(result: FleetResult, bytes: Uint8Array): Reply {
    const { tally, onAnswer } = this.#options;
    const { task, worker } = result;
    const outcome = this.#ledger.receive(task, { worker, digest: answerDigest(bytes) });
    const out = (this.#options.clock() - (this.#ledger.givenAt(task) ?? 0)) / 1000;
    const seconds = Math.min(result.seconds, out); // by its own word, and no longer than it was out
    onAnswer(task, worker, seconds);
    if (outcome === 'first') this.#arrived.push(result);
    else tally.doubled(seconds);
    if (outcome === 'different') this.#disputed.push(result);
    return { status: 'received' };
  }

  /** The lease of a worker that is shut out need not run out; once for each task, as its answers may continue. */
  #handBack({ task, worker }: Pick<FleetResult, 'task' | 'worker'>): void {
    const before = this.#handedBack.get(task) ?? new Set();
    if (!this.#tasks.has(task) || this.#ledger.answerOf(task) !== undefined || before.has(worker)) return;
    this.#handedBack.set(task, before.add(worker));
    this.#ledger.again(task, this.#options.clock());
    this.#options.onRefused(task);
  }

  /** One of two answers to a task is wrong: the learner samples it too. */
  async #settle({ task, worker, completions }: FleetResult, local: Generator): Promise<void> {
    const first = this.#ledger.answerOf(task);
    const asked = this.#tasks.get(task);
    if (first === undefined || asked === undefined) return; // the first was refused already
    const own = this.of(task) ?? this.#arrived.find((result) => result.task === task)?.completions;
    const wrong = await this.#firstWrong(asked, completions, places(completions), local);
    if (wrong !== undefined) this.#shutOut(worker, wrong);
    const firstWrong = own && (await this.#firstWrong(asked, own, places(own), local));
    if (firstWrong !== undefined) this.#shutOut(first.worker, firstWrong);
  }

  /** What is wrong with the first group that differs from what the learner samples; undefined where none does. */
  async #firstWrong(
    { settings, requests }: FleetTask,
    completions: Completions,
    checked: readonly number[],
    local: Generator,
  ): Promise<string | undefined> {
    const asked = checked.map((place) => requests[place]);
    const { completions: own } = await local.sample(asked, settings);
    this.#options.tally.checked(checked.length);
    const differs = checked.findIndex(
      (place, i) => !isEqual(completionBytes(completions[place]), completionBytes(own[i])),
    );
    if (differs < 0) return undefined;
    const [{ rollout }] = asked[differs].rollouts;
    return `the group from rollout ${rollout} on differs from what the learner samples: other bits, or a lie`;
  }

  /** Its weights are gone, so nobody can say who was wrong: all that the two answer from now on is checked. */
  #suspect(number: number, worker: string): void {
    const { trust, say, nameOf } = this.#options;
    const first = this.#ledger.answerOf(number)?.worker ?? worker;
    for (const one of [worker, first]) if (one !== LEARNER) trust.suspect(one);
    say(
      `fleet: ${nameOf(worker)} and ${nameOf(first)} differ on task ${number}, which is used; both are checked from now on`,
    );
  }

  #shutOut(worker: string, reason: string): void {
    const { trust, tally, say, nameOf, onRefused, onShutOut, clock } = this.#options;
    if (trust.reasonFor(worker) !== undefined) return;
    trust.shutOut(worker, reason);
    const unused = this.#ledger.answeredBy(worker, false);
    const used = this.#ledger.answeredBy(worker, true);
    this.#arrived = this.#arrived.filter((result) => result.worker !== worker);
    this.#disputed = this.#disputed.filter((result) => result.worker !== worker);
    for (const task of unused) {
      this.#ledger.takeBack(task);
      this.#ledger.again(task, clock());
      this.#taken.delete(task);
      onRefused(task);
    }
    tally.refused();
    onShutOut(worker);
    const named = used.slice(-MOST_NAMED).join(', ');
    const shown = used.length > MOST_NAMED ? `the last ones ${named}` : named;
    const trained =
      used.length === 0 ? 'none of its tasks was trained on' : `${used.length} of its tasks were used: ${shown}`;
    say(`fleet: ${nameOf(worker)} is shut out (${reason}); ${trained}`);
    const from = this.#uncheckedFrom.get(worker);
    if (from === undefined) return;
    trust.lookCloser();
    this.#lie = Math.min(this.#lie ?? from, from);
  }
}

function places(completions: Completions): number[] {
  return completions.map((_, place) => place);
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}
