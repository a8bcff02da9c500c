/**
 * The worker's side of a fleet: follows runs as they come, opens the model of the one that has work, takes its weights, and
 * samples what tasks ask. It may join, leave and die at any moment.
 */
import { FleetError, RlvrError } from '../../src/errors.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { WorkerBus } from './bus.ts';
import { decodeCard, decodeReply, encodeJson, type RunCard, type SeriesCard } from './cards.ts';
import { KeptTurns } from './episodes/kept_turns.ts';
import { decodeTask, encodeResult, type FleetTask, type WeightsName, WORKER_ID_BYTES } from './protocol.ts';
import { randomHex } from './random_hex.ts';
import { ReceivedWeights } from './received_weights.ts';
import { type OwnRunFolder, serveSeries } from './series/series_worker.ts';
import { makeResultKey, type ResultKey } from './signature.ts';
import { sentBytes, writeWeights } from './weights.ts';

/** Milliseconds between two signs of life. */
const PRESENT_MS = 2000;
/** Milliseconds for which a worker waits for a task of its one run, and of each of several. */
const WAIT_MS = 1000;
const SHARED_WAIT_MS = 200;
/** Milliseconds between two looks for a run, and after something failed. */
const IDLE_MS = 200;
/** How often a result is sent to a learner that does not reply: it may be in the middle of an update. */
const ANSWERS = 5;

export interface WorkerOptions {
  readonly bus: WorkerBus;
  /** Its machine and process, for people. */
  readonly name: string;
  /** That of this package: another one may compute other bits. */
  readonly version: string;
  /** Opens a policy of the run's model, in the run's class of bits. @throws RlvrError where it cannot */
  readonly openModel: (card: RunCard) => Promise<Policy>;
  /** Trains whole runs; absent: it takes none. */
  readonly training?: TrainingTools;
  readonly say: (line: string) => void;
  /** A task was answered with as much. */
  readonly sampled?: (given: { readonly groups: number; readonly tokens: number }) => void;
  /** Once it is aborted the worker ends, after the task under way. */
  readonly signal: { readonly aborted: boolean };
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
}

/** What a worker trains whole runs with. */
export interface TrainingTools {
  /** @throws FleetError where this machine computes other bits than the learner's */
  readonly requireFit: (card: SeriesCard) => Promise<void>;
  readonly makeFolder: () => OwnRunFolder;
}

/** A run or series as a worker knows it. */
interface KnownRun<Card extends RunCard | SeriesCard = RunCard | SeriesCard> {
  readonly card: Card;
  /** Whether a worker knows by now that it can take part in the series. */
  isFit?: boolean;
  /** Why the worker does not take part in it. */
  declined?: string;
}

/** A model that is open, of one session. */
interface OpenModel {
  readonly session: string;
  readonly policy: Policy;
  readonly turns: KeptTurns;
  readonly received: ReceivedWeights;
  /** SHA-256 of the weights that it has. */
  weights?: string;
}

/** Works until the signal is aborted. */
export async function work(options: WorkerOptions): Promise<void> {
  const worker = new Worker(options, options.bus.signs ? await makeResultKey() : undefined);
  try {
    await worker.toTheEnd();
  } finally {
    await worker.close();
  }
}

class Worker {
  readonly #options: WorkerOptions;
  readonly #bus: WorkerBus;
  readonly #id: string;
  readonly #key: ResultKey | undefined;
  readonly #runs = new Map<string, KnownRun>();
  readonly #said = new Set<string>();
  #model: OpenModel | undefined;
  #presentAt = Number.NEGATIVE_INFINITY;

  /** @param key  that answers are signed by, where they are */
  constructor(options: WorkerOptions, key: ResultKey | undefined) {
    this.#options = options;
    this.#key = key;
    this.#id = key?.id ?? randomHex(WORKER_ID_BYTES);
    this.#bus = options.bus;
    this.#bus.listen(this.#id);
    this.#bus.onCard((bytes) => this.#hearCard(bytes));
  }

  async toTheEnd(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      const open = [...this.#runs.values()].filter(({ declined }) => declined === undefined);
      if (open.length === 0) await pause(IDLE_MS);
      for (const run of open) {
        if (!signal.aborted) await this.#serve(run, open.length === 1 ? WAIT_MS : SHARED_WAIT_MS);
      }
    }
  }

  async close(): Promise<void> {
    await this.#model?.policy.close();
    await this.#bus.close();
  }

  #hearCard(bytes: Uint8Array): void {
    try {
      const card = decodeCard(bytes);
      if (this.#runs.get(card.run)?.card.session !== card.session) this.#runs.set(card.run, { card });
      this.#sayPresent(card.run);
    } catch (error) {
      this.#sayOnce(messageOf(error));
    }
  }

  #sayPresent(run: string): void {
    const { name, clock = () => performance.now() } = this.#options;
    if (this.#runs.get(run)?.declined !== undefined || clock() - this.#presentAt < PRESENT_MS) return;
    this.#presentAt = clock();
    this.#bus.present(run, encodeJson({ worker: this.#id, name }));
  }

  /** One task of a run, where it has one. */
  async #serve(run: KnownRun, wait: number): Promise<void> {
    const { card } = run;
    try {
      if (isSeries(run)) return await this.#serveSeries(run);
      if (!isPlain(run)) return;
      const bytes = await this.#bus.next(card.run, wait);
      if (bytes === 'over') this.#end(run);
      else if (bytes !== undefined) await this.#take(run, decodeTask(bytes));
    } catch (error) {
      this.#sayOnce(messageOf(error));
      await pause(IDLE_MS);
    }
  }

  async #serveSeries(run: KnownRun<SeriesCard>): Promise<void> {
    const { card } = run;
    const { bus, name, training, say, signal } = this.#options;
    if (training === undefined) return this.#decline(run, 'this worker trains no whole runs');
    if (run.isFit !== true) {
      try {
        this.#requireVersion(card);
        await training.requireFit(card);
      } catch (error) {
        return this.#decline(run, messageOf(error));
      }
      run.isFit = true;
    }
    const { makeFolder } = training;
    const { backend } = card;
    const options = { bus, run: card.run, backend, worker: this.#id, name, makeFolder, say, signal };
    const served = await serveSeries(options).catch((error: unknown) => {
      if (!(error instanceof FleetError) || error.code !== 'fleet-not-taken') throw error;
      this.#decline(run, error.message);
      return 'declined' as const;
    });
    if (served === 'over') this.#end(run);
    if (served === 'none') await pause(WAIT_MS);
  }

  /** @throws FleetError */
  #requireVersion({ version }: RunCard | SeriesCard): void {
    const own = this.#options.version;
    if (version === own) return;
    throw new FleetError('fleet-version', `it is trained by version ${version}, and this is ${own}; use the same`);
  }

  async #take(run: KnownRun<RunCard>, task: FleetTask): Promise<void> {
    const { clock = () => performance.now() } = this.#options;
    const model = await this.#openModel(run);
    if (model === undefined || !(await this.#useWeights(model, run.card, task.weights))) return;
    const start = clock();
    const completions = await model.turns.sample(task);
    const seconds = (clock() - start) / 1000;
    const isTaken = await this.#answer(run, encodeResult({ task: task.id, worker: this.#id, seconds, completions }));
    if (!isTaken) return;
    const tokens = completions.flat().reduce((sum, completion) => sum + completion.tokens.length, 0);
    this.#options.sampled?.({ groups: completions.length, tokens });
  }

  /** Undefined where the worker does not take part in the run. */
  async #openModel(run: KnownRun<RunCard>): Promise<OpenModel | undefined> {
    const { card } = run;
    if (this.#model?.session === card.session) return this.#model;
    await this.#model?.policy.close();
    this.#model = undefined;
    try {
      this.#requireVersion(card);
      const policy = await this.#options.openModel(card);
      const [turns, received] = [new KeptTurns(policy), new ReceivedWeights(this.#bus, card)];
      this.#model = { session: card.session, policy, turns, received };
      this.#options.say(`run ${card.run}: joined`);
      return this.#model;
    } catch (error) {
      if (!(error instanceof RlvrError)) throw error;
      this.#decline(run, error.message);
      return undefined;
    }
  }

  /** @returns whether they are there: of a task that is no longer wanted they may be gone */
  async #useWeights(model: OpenModel, { run }: RunCard, name: WeightsName): Promise<boolean> {
    if (model.weights === name.sha256) return true;
    const { policy } = model;
    if (name.bytes !== sentBytes(policy))
      throw new RlvrError('fleet-weights', `run ${run}: its weights are of another model.`);
    const all = await model.received.read(name);
    if (all === undefined) return false;
    model.weights = undefined;
    writeWeights(policy, all);
    model.weights = name.sha256;
    return true;
  }

  /** @returns whether the learner has it */
  async #answer(run: KnownRun, result: Uint8Array): Promise<boolean> {
    const message = (await this.#key?.sign(run.card.session, result)) ?? result;
    for (let time = 0; time < ANSWERS && !this.#options.signal.aborted; time++) {
      const bytes = await this.#bus.answer(run.card.run, message);
      if (bytes === undefined) continue;
      const { status, reason = 'no reason given' } = decodeReply(bytes);
      if (status === 'refused') this.#decline(run, `shut out: ${reason}`);
      return status !== 'refused';
    }
    return false;
  }

  #decline(run: KnownRun, reason: string): void {
    run.declined = reason;
    this.#options.say(`run ${run.card.run}: does not take part: ${reason}`);
  }

  #end({ card }: KnownRun): void {
    this.#runs.delete(card.run);
    if (this.#model?.session === card.session) this.#options.say(`run ${card.run}: over`);
  }

  #sayOnce(line: string): void {
    if (this.#said.has(line)) return;
    this.#said.add(line);
    this.#options.say(line);
  }
}

function isSeries(run: KnownRun): run is KnownRun<SeriesCard> {
  return 'kind' in run.card;
}

function isPlain(run: KnownRun): run is KnownRun<RunCard> {
  return !isSeries(run);
}

function messageOf(error: unknown): string {
  if (error instanceof RlvrError) return error.message;
  throw error;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
