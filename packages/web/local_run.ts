/**
 * A run in the caller's own thread: the session over a kept store, with what a page asks for served between its steps.
 *
 * A pause is a session that was asked to stop, and so ends with a checkpoint; continuing is a session that resumes. What
 * a reload finds is therefore what the page showed.
 */
import type { RunConfig } from '../../src/config/run_config.ts';
import { ConfigError } from '../../src/errors.ts';
import { type TrainingRun, withConfig } from '../../src/grpo/run.ts';
import { evaluationEvent } from '../../src/grpo/trainer.ts';
import { nextTask } from '../../src/kernels/next_task.ts';
import type { CreditedGroup, Evaluation } from '../../src/methods/records.ts';
import { countParameters } from '../../src/model/parameters.ts';
import { loadLatestCheckpoint, passedOver } from '../../src/run/checkpoint/checkpoints.ts';
import { changedConfig, readChanges, reopenRun, writeChange } from '../../src/run/checkpoint/setting_changes.ts';
import { type Fingerprint, identityOf, readFingerprint } from '../../src/run/fingerprint/fingerprint.ts';
import { parseJsonObject } from '../../src/run/json.ts';
import { bestOrigin, exportModel, lastOrigin } from '../../src/run/model/model_export.ts';
import { weightsSha256 } from '../../src/run/model/model_files.ts';
import { openRun } from '../../src/run/open_run.ts';
import { MODEL_FOLDER, type SessionEvent, session } from '../../src/run/session.ts';
import { memoryStore, type Store } from '../../src/run/store/store.ts';
import { asksInWords } from '../../src/text/codec.ts';
import { adviseMemory } from '../estimate/advise_memory.ts';
import type { ExportTarget } from '../models/run/model/exports.ts';
import { loadOwnModel } from '../models/run/model/load_own_model.ts';
import type { Pretrained } from '../models/run/model/pretrained.ts';
import { eventLogOf } from '../trackers/event_log.ts';
import { type AnswerSearch, triesReader } from '../zoo/methods/support/figures/read_tries.ts';
import { asItBegan } from './as_it_began.ts';
import { askPolicy } from './ask_policy.ts';
import type {
  Answer,
  AskOptions,
  Attention,
  BrowserEstimate,
  BrowserEvent,
  BrowserRun,
  CheckedTask,
  OpenedRun,
  OpenOptions,
  RunStatus,
  SettingChange,
  StorageReport,
  TriedCompletion,
} from './browser_run.ts';
import type { ChosenBackend } from './choose_backend.ts';
import { ownCode } from './own_code/load_own_code.ts';
import type { StartSandbox } from './own_code/sandboxes.ts';
import { pastMetrics } from './store/past_metrics.ts';
import { allFiles } from './store/refuge_store.ts';

const GROUPS = 4;
const EXAMPLES = 24;

/** What a run is made of once it is open. */
export interface LocalParts {
  readonly options: OpenOptions;
  /** Before any change of a setting. */
  readonly startConfig: RunConfig;
  readonly sandbox: StartSandbox;
  run: TrainingRun;
  /** What it began with. */
  readonly pretrained: Pretrained | undefined;
  readonly chosen: ChosenBackend;
  readonly fingerprint: Fingerprint;
  readonly closers: (() => Promise<void> | void)[];
  readonly changes: SettingChange[];
  readonly notes: string[];
}

/** The run, once it is open. */
export class LocalRun implements BrowserRun {
  readonly #parts: LocalParts;
  readonly #listeners = new Set<(event: BrowserEvent) => void>();
  /** What waits for the run to rest. A training is such a job, too, and lets the others through between its steps. */
  readonly #jobs = new JobQueue();
  #training: Promise<RunStatus> | undefined;
  /** Ends the training under way. */
  #pausing = new AbortController();
  /** When rollouts were last handed on. */
  #rolloutsAt = Number.NEGATIVE_INFINITY;
  /** The newest that were not. */
  #rollouts: { readonly step: number; readonly groups: readonly CreditedGroup[] } | undefined;
  #store: Store = memoryStore();
  #storage: StorageReport = { kind: 'memory', reason: '' };
  #opened: OpenedRun | undefined;
  #status: RunStatus = 'resting';
  /** The policy has the best weights, not those of the last step. */
  #isBest = false;

  constructor(parts: LocalParts) {
    this.#parts = parts;
  }

  get run(): TrainingRun {
    return this.#parts.run;
  }

  get opened(): OpenedRun {
    if (this.#opened === undefined) throw new RangeError('the run is not open yet');
    return this.#opened;
  }

  /**
   * Finds the run where it was left.
   * @param isRestored  the run is where this store has it, already
   * @throws CheckpointError where all that is kept is damaged
   */
  async openStore(store: Store, storage: StorageReport, isRestored: boolean): Promise<void> {
    this.#store = store;
    this.#storage = storage;
    const { options } = this.#parts;
    if (!(await store.exists('fingerprint.json'))) {
      for (const [path, bytes] of options.files ?? []) await store.writeAtomic(path, bytes);
    }
    for (const [path, text] of Object.entries(options.data ?? {})) {
      await store.writeAtomic(path, new TextEncoder().encode(text));
    }
    if (!isRestored) await this.restore(store);
    this.#opened = await this.#describe();
  }

  /** Puts the run where a store has it. */
  async restore(store: Store): Promise<void> {
    const { run, notes, changes } = this.#parts;
    const recorded = await readFingerprint(store);
    const loaded = await loadLatestCheckpoint(store, recorded && identityOf(recorded));
    if (loaded !== undefined) {
      notes.push(...loaded.damaged.map((passed) => `The saved ${passedOver(passed)}`));
      const { restoreCheckpoint } = await import('../../src/run/checkpoint/restore.ts');
      restoreCheckpoint(run, loaded.checkpoint);
      changes.push(...(await readChanges(store, run.journal.state)));
      this.#applyChanges();
      const summary = parseJsonObject((await store.read('summary.json')) ?? new Uint8Array(0));
      if (summary !== undefined) this.#status = 'finished';
      if (summary?.model === 'best') {
        await loadOwnModel(store, run);
        this.#isBest = true;
      }
    }
  }

  /** Called by the store, once. */
  storageRefused(reason: string): void {
    this.#storage = { kind: 'memory', reason };
    this.say({ type: 'storage', storage: this.#storage });
  }

  async #describe(): Promise<OpenedRun> {
    const { run, chosen, notes, changes } = this.#parts;
    const { tasks, policy } = run.engine;
    const { state } = run.journal;
    const items = tasks.heldOutItems();
    const bytes = chosen.backend.plannedBytes(policy.plan.memory);
    return {
      backend: chosen.report,
      storage: this.#storage,
      status: this.#status,
      task: tasks.name,
      stages: run.config.stages.map(({ stage, optimizer }) => ({ stage, maxSteps: optimizer.maxSteps })),
      stageIndex: state.stageIndex,
      step: state.step,
      parameters: countParameters(policy.parameters),
      memoryBytes: [...bytes.values()].reduce((sum, part) => sum + part, 0),
      problems: { train: tasks.trainProblems() ?? null, heldOut: items.length },
      examples: items.slice(0, EXAMPLES).map(({ prompt, answer }) => ({ prompt, answer })),
      vocabulary: asksInWords(tasks.codec)
        ? []
        : Array.from({ length: tasks.codec.vocabSize }, (_, id) => tasks.codec.tokenText(id)),
      metrics: await pastMetrics(this.#store, run),
      changes: [...changes],
      notes: [...notes],
    };
  }

  listen(listener: (event: BrowserEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  train({ steps = Number.POSITIVE_INFINITY }: { readonly steps?: number } = {}): Promise<RunStatus> {
    if (this.#training !== undefined) return this.#training;
    this.#pausing = new AbortController();
    this.#training = this.#jobs
      .add(() => this.#train(steps))
      .finally(() => {
        this.#training = undefined;
      });
    return this.#training;
  }

  async #train(steps: number): Promise<RunStatus> {
    if (this.#status === 'finished') return this.#status;
    const { run, fingerprint, startConfig } = this.#parts;
    this.#setStatus('training');
    let taken = 0;
    let finished = false;
    try {
      const resume = await this.#store.exists('fingerprint.json');
      const eventLog = await eventLogOf(run.config, this.#store);
      const events = session({
        run,
        store: this.#store,
        eventLog,
        fingerprint,
        resume,
        startConfig,
        force: true, // another browser, or another backend: said as a note
        shouldStop: () => taken >= steps,
        signal: this.#pausing.signal,
        wantsEvaluation: async () => {
          await nextTask();
          await this.#jobs.serve();
          return false;
        },
      });
      for await (const event of events) {
        if (event.type === 'step') taken++;
        if (event.type === 'finished') {
          finished = true;
          this.#isBest = event.summary.model === 'best';
        }
        if (!(event.type === 'note' && event.message.startsWith('resumed from'))) this.#hand(event);
        await nextTask();
      }
    } finally {
      this.#handRollouts();
      this.#setStatus(finished ? 'finished' : 'resting');
    }
    return this.#status;
  }

  #hand(event: SessionEvent): void {
    if (event.type !== 'rollouts') {
      this.say(event);
      return;
    }
    const { groups = GROUPS, rolloutsMs = 0 } = this.#parts.options;
    this.#rollouts = { step: event.step, groups: event.groups.slice(0, groups) };
    if (performance.now() - this.#rolloutsAt >= rolloutsMs) this.#handRollouts();
  }

  /** Those of the last step, too, however soon they came after others. */
  #handRollouts(): void {
    if (this.#rollouts === undefined) return;
    this.#rolloutsAt = performance.now();
    const { groups } = this.#rollouts;
    const searches = groups.map((group) => this.#searchesOf(group));
    this.say({ type: 'rollouts', ...this.#rollouts, searches, tokenTexts: this.#tokenTextsOf(groups) });
    this.#rollouts = undefined;
  }

  #tokenTextsOf(groups: readonly CreditedGroup[]): Readonly<Record<number, string>> {
    const { codec } = this.#parts.run.engine.tasks;
    if (!asksInWords(codec)) return {};
    const ids = new Set(groups.flatMap(({ rollouts }) => rollouts.flatMap(({ tokens }) => [...tokens])));
    // The second of two alike: SentencePiece decodes the first token of a text without its blank.
    const textOf = (id: number): string => codec.decode([id, id]).slice(codec.decode([id]).length);
    return Object.fromEntries([...ids].map((id) => [id, textOf(id)]));
  }

  #searchesOf({ item, rollouts }: CreditedGroup): readonly AnswerSearch[] | undefined {
    const space = this.#parts.run.engine.tasks.searchSpace(item);
    const read = space && triesReader(space);
    return read && rollouts.map(({ text }) => read(text));
  }

  async pause(): Promise<void> {
    this.#pausing.abort();
    await this.#training?.catch(() => undefined); // the caller of train gets the failure
  }

  evaluate(): Promise<Evaluation> {
    return this.#jobs.add(async () => {
      const event = await evaluationEvent(this.#parts.run, 'requested');
      this.say(event);
      return event.evaluation;
    });
  }

  ask(prompt: string, options: AskOptions = {}): Promise<readonly Answer[]> {
    return this.#jobs.add(() => askPolicy(this.#parts.run, prompt, options));
  }

  attention(prompt: string, answer: Int32Array, { base }: Pick<AskOptions, 'base'> = {}): Promise<Attention> {
    return this.#jobs.add(async () => {
      const { attentionOf } = await import('./attention.ts');
      const { run } = this.#parts;
      const look = (): Promise<Attention> => attentionOf(run, prompt, answer);
      return base ? asItBegan(run, look) : look();
    });
  }

  change(settings: SettingChange['settings']): Promise<void> {
    if (this.#training !== undefined) {
      const message = 'Settings can be changed while the run rests; pause it first.';
      return Promise.reject(new ConfigError('training', message));
    }
    return this.#jobs.add(async () => {
      const { run, changes } = this.#parts;
      const { stageIndex, step } = run.journal.state;
      const { max_steps: steps } = settings;
      if (steps !== undefined && steps <= step) {
        throw new ConfigError('max_steps', `max_steps: ${steps} — ${step} steps were taken; give more.`);
      }
      const made: SettingChange = { stageIndex, step, settings };
      changes.push(made);
      try {
        this.#applyChanges();
      } catch (error) {
        changes.pop();
        throw error;
      }
      await writeChange(this.#store, made);
      if (steps === undefined || this.#status !== 'finished') return;
      await reopenRun(this.#store);
      this.#isBest = false; // continuing loads the last weights
      this.#setStatus('resting');
    });
  }

  /** @throws ConfigError for a value that the config would refuse, too */
  #applyChanges(): void {
    const { run, changes, startConfig } = this.#parts;
    this.#parts.run = withConfig(run, changedConfig(startConfig, changes, run.registries));
  }

  async tryReward(code: string, completions: number | CreditedGroup): Promise<readonly TriedCompletion[]> {
    const { startOwnReward, tryOnGroup, tryReward } = await ownCode();
    const reward = await startOwnReward('yours', code, this.#parts.sandbox);
    try {
      if (typeof completions !== 'number') return await tryOnGroup(this.#parts.run, reward, completions);
      return await this.#jobs.add(() => tryReward(this.#parts.run, reward, completions));
    } finally {
      await reward.close();
    }
  }

  async checkTask(code: string): Promise<CheckedTask> {
    const { checkOwnTask, startOwnTask } = await ownCode();
    const task = await startOwnTask(code, this.#parts.sandbox);
    try {
      return await checkOwnTask(task);
    } finally {
      await task.close();
    }
  }

  estimate(): Promise<BrowserEstimate> {
    return this.#jobs.add(async () => {
      const { estimateTime } = await import('../estimate/time_estimate.ts');
      const { config, registries, engine, journal } = this.#parts.run;
      const { pretrained } = this.#parts;
      const options = { registries, rewards: 'unused', clock: journal.clock, pretrained, adviseMemory } as const;
      const timed = await openRun(config, engine.tasks, this.#parts.chosen.backend, options);
      try {
        const { seconds, stages, secondsPerEvaluation } = await estimateTime(timed);
        return { seconds, secondsPerStep: stages.map(({ secondsPerStep }) => secondsPerStep), secondsPerEvaluation };
      } finally {
        await timed.engine.policy.close();
      }
    });
  }

  weightsSha256(): Promise<string> {
    return this.#jobs.add(() => weightsSha256(this.#parts.run.engine.policy));
  }

  exportModel(): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
    return this.#jobs.add(async () => {
      const { run, options } = this.#parts;
      const store = memoryStore();
      const { best } = run.journal.state;
      await exportModel(store, MODEL_FOLDER, run, this.#isBest && best ? bestOrigin(run, best) : lastOrigin(run));
      await store.writeAtomic('config.yaml', new TextEncoder().encode(options.yaml));
      return allFiles(store);
    });
  }

  exportAs(form: ExportTarget, dtype?: string): Promise<ReadonlyMap<string, Blob>> {
    return this.#jobs.add(async () => {
      const { exportAs } = await import('./pretrained/export_as.ts');
      return exportAs(this.#parts.run, this.#parts.pretrained, form, dtype);
    });
  }

  files(): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
    return this.#jobs.add(() => allFiles(this.#store));
  }

  async close(): Promise<void> {
    await this.pause();
    await this.#jobs.add(async () => {
      for (const close of this.#parts.closers.reverse()) await close();
    });
  }

  /** Tells the listeners. */
  say(event: BrowserEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #setStatus(status: RunStatus): void {
    this.#status = status;
    this.say({ type: 'status', status });
  }
}

/** Does one job after the other, as soon as the worker lets the next one through. */
class JobQueue {
  readonly #jobs: (() => Promise<void>)[] = [];
  #isWorking = false;

  /** Does the work at once where nothing is under way, else when that ends or calls `serve`. */
  add<T>(work: () => Promise<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      this.#jobs.push(() => work().then(resolve, reject));
    });
    if (!this.#isWorking) void this.#work();
    return result;
  }

  /** For a job that takes long: does those that wait. */
  async serve(): Promise<void> {
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) await job();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    await this.serve();
    this.#isWorking = false;
  }
}
