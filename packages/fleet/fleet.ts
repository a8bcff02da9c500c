/**
 * The learner's side of a fleet: a generator whose completions other processes sample. It cuts what is asked into tasks, gives
 * them out with the weights that they name, and joins the answers.
 *
 * An answer is a function of weights, tokens and numbers, so it is the same from any worker: what is lost is sampled again,
 * what nobody answers in time the learner samples itself, and the run has the bits of one machine.
 */
import { FleetError } from '../../src/errors.ts';
import { type Generator, labelled, type SampleRequest } from '../../src/grpo/generator.ts';
import { nextTask } from '../../src/kernels/next_task.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { Completion, GenerationSettings } from '../../src/model/sampling/generation.ts';
import { Answers } from './answers.ts';
import { encodeBaseJson } from './base/base_list.ts';
import { type BaseFiles, SentBase } from './base/sent_base.ts';
import type { LearnerBus } from './bus.ts';
import { type FleetCall, type GivenOut, neededOf } from './calls.ts';
import { encodeJson, type RunCard } from './cards.ts';
import { Holders } from './episodes/holders.ts';
import { type SampleTurns, sampleEpisodes } from './episodes/turns.ts';
import { besideUpdate, type Learner } from './learner.ts';
import { Leases } from './leases.ts';
import { joinAnswers, planTasks } from './plan_tasks.ts';
import { encodeTask, type FleetTask, MESSAGE_BYTES } from './protocol.ts';
import { randomHex, randomShare } from './random_hex.ts';
import { SentWeights } from './sent_weights.ts';
import { type FleetFigures, Tally } from './tally.ts';
import { Trust } from './trust/trust.ts';
import { Upcoming } from './upcoming.ts';
import type { Deflate } from './weights_step.ts';
import { Workers } from './workers.ts';

/** Milliseconds between two looks at what has come. */
const LOOK_MS = 100;
/** Milliseconds between two cards. */
const ANNOUNCE_MS = 500;
/** Milliseconds for which workers may join before the learner begins to sample by itself. */
const JOIN_MS = 10_000;
/** Milliseconds between two attempts to reach a server that refuses: twice as many each time, up to the most. */
const RETRY_MS = 1000;
const MOST_RETRY_MS = 8_000;

/** What a fleet is opened with. */
export interface FleetOptions {
  /** Share of groups that the learner samples again, to compare them byte for byte. */
  readonly verifyShare: number;
  /** A sentence for the user. */
  readonly say: (line: string) => void;
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
  /** Milliseconds for which workers may join before the learner samples by itself. */
  readonly joinMs?: number;
  /** From 0 to 1, which no worker can foresee: what is checked. */
  readonly random?: () => number;
  /** Weights are sent as steps, which are smaller, where this deflates them; absent: whole. */
  readonly deflate?: Deflate;
}

export class Fleet {
  readonly #bus: LearnerBus;
  readonly #options: FleetOptions;
  readonly #clock: () => number;
  readonly #tally: Tally;
  readonly #workers: Workers;
  readonly #answers: Answers;
  readonly #weights: SentWeights;
  /** Tasks of the call under way, as they are sent. */
  readonly #tasks = new Map<number, Uint8Array>();
  /** Those that the server may not have. */
  readonly #unsent = new Set<number>();
  /** Those of them, or of those that were sent, that are offered to one worker alone, with who else has what. */
  readonly #offered = new Map<number, { readonly worker: string; readonly holders: Holders }>();
  readonly #upcoming = new Upcoming();
  readonly #said = new Set<string>();
  #vocabSize = 0;
  readonly #leases = new Leases();
  #retryAt = 0;
  /** Attempts in a row that the server has refused. */
  #refusals = 0;
  #nextTask = 0;
  #openedAt = 0;
  /** When the server was last away. */
  #givenAgainAt = 0;
  #announcing: ReturnType<typeof setInterval> | undefined;
  #wake: (() => void) | undefined;

  constructor(bus: LearnerBus, options: FleetOptions) {
    const { verifyShare, say, clock = () => performance.now(), random = randomShare } = options;
    this.#bus = bus;
    this.#options = options;
    this.#clock = clock;
    this.#tally = new Tally(clock);
    this.#workers = new Workers(clock, say);
    this.#weights = new SentWeights(bus, options.deflate);
    this.#answers = new Answers({
      trust: new Trust(verifyShare, random),
      tally: this.#tally,
      say,
      clock,
      vocabSize: () => this.#vocabSize,
      nameOf: (worker) => this.#workers.nameOf(worker),
      onAnswer: (task, worker, seconds) => this.#answered(task, worker, seconds),
      onRefused: (task) => this.#giveAgain(task),
      onShutOut: (worker) => this.#workers.shutOut(worker),
    });
  }

  /**
   * Opens the run's place on the bus, and tells workers of it.
   * @param run  16 hexadecimal digits, the same after a resume
   * @param base  files of the model that an adapter is beside, for workers that have not got it
   * @throws FleetError where another learner has it
   */
  async open(run: string, card: Omit<RunCard, 'run' | 'session' | 'partBytes'>, base?: BaseFiles): Promise<void> {
    const session = randomHex(8);
    const sent = base && new SentBase(this.#bus, base, { clock: this.#clock, say: this.#options.say });
    this.#vocabSize = card.shape.vocabSize;
    await this.#bus.open(run, this.#leases.lease, {
      presence: (bytes) => {
        if (!this.#workers.hearPresence(bytes)) this.#tally.refused();
      },
      result: (bytes) => encodeJson(this.#answers.hear(bytes)),
      signed: async (bytes) => encodeJson(await this.#answers.hearSigned(session, bytes)),
      ...(sent && { base: (isMissing) => encodeBaseJson(sent.ask(isMissing)) }),
      restart: () => {
        sent?.sendAgain();
        this.#giveAllAgain();
      },
    });
    const bytes = encodeJson({ ...card, run, session, partBytes: MESSAGE_BYTES });
    this.#bus.announce(bytes);
    this.#announcing = setInterval(() => this.#bus.announce(bytes), ANNOUNCE_MS);
    this.#openedAt = this.#clock();
    this.#tally.begin();
  }

  async close(): Promise<void> {
    clearInterval(this.#announcing);
    await this.#bus.close();
  }

  /** What `fleet-lie` was thrown for, once: the run has to go back to before the step of these weights. */
  takeLie(): number | undefined {
    return this.#answers.takeLie();
  }

  /** What the fleet has done so far; of the groups under way, the most since this was asked last. */
  get figures(): FleetFigures {
    return this.#tally.figures(this.#workers.present);
  }

  /**
   * A generator whose completions the fleet samples, turn by turn where they are episodes. Scores and token controls stay with the
   * local one: they read what only the learner has.
   */
  generator(policy: Policy, local: Generator): Generator {
    const learner = { policy, local };
    return this.#samplerOf(learner, (turns) => this.#samplerOf(besideUpdate(learner, turns)));
  }

  #samplerOf(learner: Learner, beside?: Generator['beside']): Generator {
    const { local } = learner;
    const sample: Generator['sample'] = async (requests, settings) => {
      const { control, turns, keep: _, upcoming = [], ...rest } = settings;
      if (control !== undefined) {
        const why = 'a token control reads each token as it is sampled';
        this.#sayOnce(`fleet: ${why}, so these completions are sampled by the learner`);
        return local.sample(requests, settings);
      }
      const holders = new Holders();
      const sampleThere: SampleTurns = (asked, how) =>
        this.#sample(learner, { requests: asked, settings: how, holders });
      const completions = turns
        ? labelled(requests, await sampleEpisodes(requests, rest, turns, sampleThere))
        : await this.#sample(learner, { requests, settings: rest, holders, upcoming });
      return { completions, places: undefined };
    };
    return {
      sample,
      score: (sequences, settings) => local.score(sequences, settings),
      recheck: () => this.#answers.recheck(local, this.#weights.name.sha256),
      get weightsVersion() {
        return local.weightsVersion;
      },
      ...(beside && { beside }),
      takesUpcoming: true,
    };
  }

  async #sample(learner: Learner, { requests, settings, holders, upcoming = [] }: FleetCall): Promise<Completion[][]> {
    const { policy, local, turns } = learner;
    const start = this.#clock();
    const learnedBefore = turns?.learnedMs ?? 0;
    let isDone = false;
    let call: GivenOut = { parts: [], numbers: [], fresh: [], known: [] };
    const giveOut = async (): Promise<void> => {
      await this.#weights.take(policy, local.weightsVersion);
      call = this.#giveOut({ requests, settings, holders, upcoming });
      await this.#send();
    };
    try {
      // An update begins once workers have what they need.
      await (turns === undefined ? giveOut() : turns.take(giveOut));
      const needed = neededOf(call);
      while (needed.some((number) => this.#answers.of(number) === undefined))
        await this.#advance(policy, local, needed);
      isDone = true;
      return labelled(requests, this.#joined(call, holders));
    } finally {
      this.#forget(neededOf(call), isDone);
      this.#tally.gaveOut(-call.fresh.length);
      const learned = (turns?.learnedMs ?? 0) - learnedBefore;
      this.#tally.waited(Math.max(0, this.#clock() - start - learned));
      const line = this.#tally.diagnosis(this.#workers.present);
      if (line !== undefined) this.#options.say(line);
    }
  }

  /** Makes tasks of what is asked and is not given out yet, and, after them, of what is upcoming. */
  #giveOut({ requests, settings, holders, upcoming = [] }: FleetCall): GivenOut {
    const key = JSON.stringify([this.#weights.name, settings]);
    this.#forget(this.#upcoming.turnTo(key), false);
    const known = requests.map((request) => this.#upcoming.partsOf(request));
    const fresh = requests.filter((_, i) => known[i] === undefined);
    const workers = this.#workers.present;
    const parts = planTasks(fresh, settings, workers, (rollout) => holders.of(rollout));
    const numbers = parts.map(({ requests: own, holder }) => {
      const number = this.#open({ requests: own, settings });
      if (holder !== undefined) this.#offered.set(number, { worker: holder, holders });
      return number;
    });
    const call = { parts, numbers, fresh, known };
    this.#tally.gaveOut(fresh.length);
    this.#tally.ahead(requests.length - fresh.length);
    if (workers > 0) this.#begin(upcoming, settings, new Set(neededOf(call)));
    return call;
  }

  /** Gives out what will likely be asked. @param needed  tasks that are over with the call under way */
  #begin(upcoming: readonly SampleRequest[], settings: GenerationSettings, needed: ReadonlySet<number>): void {
    const isOpen = (request: SampleRequest): boolean =>
      this.#upcoming.partsOf(request)?.every(({ task }) => !needed.has(task)) === true;
    const fresh = upcoming.filter((request) => !isOpen(request));
    for (const { requests, places } of planTasks(fresh, settings, this.#workers.present)) {
      const task = this.#open({ requests, settings });
      this.#upcoming.add(
        requests.map((request, place) => ({ task, place, request, isFirst: places[place].first === 0 })),
      );
    }
    this.#tally.gaveOut(fresh.length);
  }

  /** What was answered, in the order in which it was asked. */
  #joined({ parts, numbers, fresh, known }: GivenOut, holders: Holders): Completion[][] {
    const answers = numbers.map((number) => this.#answers.of(number) ?? []);
    parts.forEach(({ requests: own, holder }, i) => {
      const worker = this.#answers.workerOf(numbers[i]);
      if (holder !== undefined && holder === worker) this.#tally.continued(own.length);
      holders.sampled(own, worker);
    });
    const joined = joinAnswers(fresh, parts, answers).values();
    return known.map((own) => {
      if (own === undefined) return joined.next().value ?? [];
      return own.flatMap(({ task, place }) => this.#answers.of(task)?.[place] ?? []);
    });
  }

  /** Tasks are over. @param areUsed  their answers are */
  #forget(tasks: readonly number[], areUsed: boolean): void {
    this.#answers.close(tasks, areUsed);
    this.#tally.gaveOut(-this.#upcoming.forget(tasks));
    for (const number of tasks) {
      this.#tasks.delete(number);
      this.#unsent.delete(number);
      this.#offered.delete(number);
      void this.#bus.drop(number);
    }
  }

  #open({ requests, settings }: Pick<FleetTask, 'requests' | 'settings'>): number {
    const id = this.#nextTask++;
    const task: FleetTask = { id, weights: this.#weights.name, settings, requests };
    this.#answers.open(task);
    this.#tasks.set(id, encodeTask(task));
    this.#unsent.add(id);
    return id;
  }

  /** One thing that brings the call forward. */
  async #advance(policy: Policy, local: Generator, needed: readonly number[]): Promise<void> {
    this.#answers.refuseLies();
    await policy.engine.interruption?.();
    await this.#send();
    if (await this.#answers.look(local)) return;
    if (this.#offered.size > 0)
      for (const task of this.#answers.overdue(this.#clock() - this.#leases.lease)) this.#withdraw(task);
    const leaseBegan = this.#clock() - this.#leases.lease;
    const hasServer = this.#refusals === 0 && this.#givenAgainAt <= leaseBegan; // else no worker had the task for a lease
    if (hasServer && this.#answers.overdue(leaseBegan).length > 0) this.#workers.missed(leaseBegan);
    const late = this.#late(needed);
    if (late === undefined) return this.#untilNews();
    void this.#bus.drop(late);
    this.#unsent.delete(late);
    await this.#answers.sampleHere(late, local);
    await nextTask(); // answers may have come meanwhile
  }

  /** Sends weights and tasks that the server may not have. A server that is away is asked again. */
  async #send(): Promise<void> {
    if (this.#clock() < this.#retryAt) return;
    try {
      const start = this.#clock();
      const bytes = this.#unsent.size > 0 ? await this.#weights.send() : 0;
      this.#tally.sent(this.#clock() - start, bytes);
      for (const number of [...this.#unsent]) {
        this.#unsent.delete(number);
        const bytes = this.#tasks.get(number);
        const worker = this.#offered.get(number)?.worker;
        if (bytes !== undefined && worker !== undefined) this.#offer(number, worker, bytes);
        else if (bytes !== undefined) await this.#bus.give(number, bytes);
      }
      this.#refusals = 0;
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      this.#sayOnce(`fleet: ${error.message}`);
      this.#giveAllAgain();
      // A store that is full has room once its place was cleared: the first attempt after one that failed is made at once.
      const wait = this.#refusals === 0 ? 0 : Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** (this.#refusals - 1));
      this.#retryAt = this.#clock() + wait;
      this.#refusals++;
    }
  }

  #answered(task: number, worker: string, seconds: number): void {
    this.#workers.answered(worker);
    this.#unsent.delete(task);
    void this.#bus.drop(task);
    if (this.#leases.answered(seconds)) void this.#bus.setLease(this.#leases.lease);
    this.#wake?.();
  }

  /** Offers a task to one worker: it has the keys and values of what comes before. */
  #offer(task: number, worker: string, bytes: Uint8Array): void {
    void this.#bus.offer({ worker, signs: this.#answers.signs(worker) }, bytes).then((isThere) => {
      if (!isThere) this.#withdraw(task);
    });
  }

  /** A task that was offered to one worker is given to all, and so is what else it would be offered. */
  #withdraw(task: number): void {
    const offered = this.#offered.get(task);
    if (offered === undefined) return;
    offered.holders.forget(offered.worker);
    this.#giveAgain(task);
  }

  #giveAgain(task: number): void {
    this.#offered.delete(task);
    this.#unsent.add(task);
    this.#wake?.();
  }

  /** What the server held may be gone. */
  #giveAllAgain(): void {
    this.#weights.sendAgain();
    [this.#retryAt, this.#givenAgainAt] = [0, this.#clock()];
    for (const task of this.#answers.waiting()) this.#giveAgain(task);
  }

  /** The task that the learner samples itself: of those that are needed, the one that a worker is least likely to have begun. */
  #late(needed: readonly number[]): number | undefined {
    const now = this.#clock();
    const overdue = (before: number) => this.#answers.overdue(before).findLast((task) => needed.includes(task));
    const { joinMs = JOIN_MS } = this.#options;
    if (now < this.#retryAt) return needed.findLast((task) => this.#unsent.has(task)); // nobody is given what the server does not take
    if (this.#workers.present > 0) return overdue(now - this.#leases.patience(this.#workers.isOneSilent));
    if (now - this.#openedAt < joinMs) return undefined;
    this.#sayOnce('fleet: no worker is there; the learner samples by itself until one joins');
    return overdue(now);
  }

  #untilNews(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, LOOK_MS);
      this.#wake = done;
    });
  }

  #sayOnce(line: string): void {
    if (this.#said.has(line)) return;
    this.#said.add(line);
    this.#options.say(line);
  }
}
