/** The page's one run: what the buttons of the panels do. */
import {
  type Answer,
  type BackendRequest,
  type BrowserRun,
  ConfigError,
  openRunInWorker,
  RlvrError,
  type RunStatus,
  removeKeptRun,
  type SettingChange,
} from 'rlvr-train/web';
import { Agreement } from './agreement.ts';
import { historyOf } from './earlier.ts';
import {
  codesOf,
  type Experiment,
  type Moved,
  type OwnCode,
  type OwnCodes,
  type WholeLink,
  wholeLinkOf,
  yamlOf,
} from './experiment.ts';
import { messageOf } from './notes.ts';
import type { RunFile } from './run_file.ts';
import { ShownRun } from './shown_run.ts';
import type { Inside, NextToken } from './token_table.ts';

/** `waiting`: nothing is open before a click; `asking`: for leave to run foreign code. */
export type LabStatus =
  | 'waiting'
  | 'asking'
  | 'opening'
  | 'resting'
  | 'training'
  | 'stopping'
  | 'busy'
  | 'finished'
  | 'failed';

/** Milliseconds between two looks at rollouts: more are not drawn, and each costs both threads half a millisecond. */
const ROLLOUTS_MS = 150;
/** Lost devices after which WebGPU is given up. */
const MOST_LOSSES = 2;

/** Answers to a prompt that are sampled beside the likeliest. */
const SAMPLES = 3;
/** Samples of a next token, and how many different ones are shown. Their log-probs are exact, whatever is drawn. */
const NEXT_SAMPLES = 48;
const MOST_NEXT = 5;

export class Lab extends ShownRun {
  experiment: Experiment;
  /** What the visitor wrote. */
  codes: OwnCodes;
  status: LabStatus = 'waiting';
  /** Asks before foreign code runs. */
  readonly agreement: Agreement;
  /** What a link asked for, and nobody has opened. */
  linked: Experiment | undefined;
  run: BrowserRun | undefined;
  readonly #backend: BackendRequest;
  #losses = 0;
  /** Counts openings: what an earlier one still has to say is not heard. */
  #opening = 0;
  /** Resolves when the latest of them has ended, whichever way. */
  #whenOpened: Promise<unknown> = Promise.resolve();

  /** @param changed  called whenever anything here is different */
  constructor(experiment: Experiment, codes: OwnCodes, backend: BackendRequest, changed: () => void) {
    super(changed);
    this.experiment = experiment;
    this.codes = codes;
    this.#backend = backend;
    this.agreement = new Agreement(changed);
  }

  /** The code of the visitor's that the experiment runs. */
  get #own(): readonly OwnCode[] {
    return codesOf(this.experiment, this.codes);
  }

  get yaml(): string {
    return yamlOf(this.experiment);
  }

  /** Name of the run directory: the same job is the same run. */
  async name(): Promise<string> {
    const bytes = new TextEncoder().encode(this.yaml + this.#own.map(({ code }) => code).join(''));
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).subarray(0, 5);
    return `${this.experiment.preset}-${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }

  /** Shows what a link asks for. Whatever it is, nothing of it is opened or run before a click. @param isLink  the address had one */
  async offer({ experiment, codes, problems }: WholeLink, isLink: boolean): Promise<void> {
    const opening = ++this.#opening;
    const before = this.run;
    this.run = undefined;
    this.experiment = experiment;
    this.linked = isLink ? experiment : undefined;
    this.codes = { ...this.codes, ...codes };
    this.#reset('waiting');
    for (const problem of problems) this.notes.say('warn', `In the link, ${problem}.`);
    const carried = this.#own.filter(({ what }) => codes[what] !== undefined);
    for (const { what } of this.#own) {
      if (codes[what] !== undefined || experiment.preset === 'own-task') continue;
      this.notes.say('warn', `The link has a ${what} of its own and does not carry its code: yours, below, is used.`);
    }
    if (carried.length > 0) void this.agreement.ask(carried, 'This link');
    this.changed();
    await before?.close().catch(() => undefined); // a lost device cannot be closed
    const kept = await historyOf(await this.name()).catch(() => undefined);
    if (opening !== this.#opening || kept === undefined || kept.step === 0) return;
    this.notes.say('note', `A run of this is kept here, at step ${kept.step}. Train continues from there.`);
  }

  /** Opens the run of the experiment, as it was left. */
  open(experiment = this.experiment, files?: ReadonlyMap<string, Uint8Array>): Promise<void> {
    return this.#opens(this.#openOrSay(experiment, files));
  }

  #opens<T>(work: Promise<T>): Promise<T> {
    this.#whenOpened = work.catch(() => undefined);
    return work;
  }

  /** A run that cannot be opened is a note. */
  async #openOrSay(experiment: Experiment, files: ReadonlyMap<string, Uint8Array> | undefined): Promise<void> {
    const opening = ++this.#opening;
    try {
      await this.#open(opening, experiment, { files });
    } catch (error) {
      if (opening !== this.#opening) return;
      this.status = 'failed';
      const remedy =
        error instanceof ConfigError ? 'Change the setting back.' : 'Nothing was changed. Reset starts over.';
      this.notes.say('stop', `${messageOf(error)}\n${remedy}`);
    }
    this.changed();
  }

  /** @throws RlvrError */
  async #open(
    opening: number,
    experiment: Experiment,
    how: { readonly files?: ReadonlyMap<string, Uint8Array> | undefined; readonly replaces?: boolean },
  ): Promise<void> {
    const before = this.run;
    this.run = undefined;
    this.experiment = experiment;
    this.#reset('asking');
    this.changed();
    await before?.close().catch(() => undefined); // a lost device cannot be closed
    if (!(await this.agreement.ask(this.#own, 'This experiment'))) {
      if (opening !== this.#opening) return;
      this.status = 'waiting';
      this.notes.say('note', 'The code was not run. Choose a task above, or another reward under Settings.');
      return;
    }
    if (opening !== this.#opening) return;
    this.status = 'opening';
    this.changed();
    const run = await openRunInWorker({
      yaml: this.yaml,
      name: await this.name(),
      backend: this.#losses >= MOST_LOSSES ? { name: 'wasm' } : this.#backend,
      ...(experiment.reward === 'yours' && { rewards: { yours: this.codes.reward } }),
      ...(experiment.task === 'yours' && { task: this.codes.task }),
      ...how,
      rolloutsMs: ROLLOUTS_MS,
    });
    if (opening !== this.#opening) return void run.close();
    this.run = run;
    run.listen((event) => this.hear(event));
    const { opened } = run;
    this.show(opened);
    if (this.#left.length > this.#due.length) {
      this.notes.say(
        'warn',
        'The link moves a setting at a step that the run kept here has passed. Reset starts over.',
      );
    }
    this.status = opened.status === 'finished' ? 'finished' : 'resting';
  }

  /** Opens what was offered, at a click on whatever needs it. A click that comes while a run opens is for that run. */
  async #opened(): Promise<void> {
    if (this.status === 'waiting') await this.open();
    else if (this.run === undefined) await this.#whenOpened;
  }

  #reset(status: LabStatus): void {
    this.status = status;
    this.forget();
  }

  async train(steps?: number): Promise<void> {
    await this.#opened();
    const { run } = this;
    if (run === undefined || this.status !== 'resting') return;
    this.status = 'training';
    this.pace.restart();
    this.changed();
    try {
      const status = await this.#advance(run, steps);
      if (run !== this.run) return;
      this.status = status === 'finished' ? 'finished' : 'resting';
      this.changed();
    } catch (error) {
      if (run === this.run) await this.#recover(error);
    }
  }

  /** Trains, and moves settings on the way where the experiment says so. */
  async #advance(run: BrowserRun, steps = Number.POSITIVE_INFINITY): Promise<RunStatus> {
    const end = this.history.step + steps;
    for (const { step, settings } of this.#due) {
      if (step >= end) break;
      const rest = step - this.history.step;
      const status = rest > 0 ? await run.train({ steps: rest }) : 'resting';
      if (this.history.step < step || status === 'finished' || this.status !== 'training') return status;
      await run.change(settings);
      this.moved = [...this.moved, { step, settings }];
    }
    return run.train(end === Number.POSITIVE_INFINITY ? {} : { steps: end - this.history.step });
  }

  /** What the experiment moves and the run has not. */
  get #left(): readonly Moved[] {
    const isDone = (step: number, key: string, value: number): boolean =>
      this.moved.some((move) => move.step === step && move.settings[key as keyof Moved['settings']] === value);
    return (this.experiment.moved ?? []).filter(({ step, settings }) =>
      Object.entries(settings).some(([key, value]) => !isDone(step, key, value)),
    );
  }

  /** What is still to be moved. */
  get #due(): readonly Moved[] {
    return this.#left.filter(({ step }) => step >= this.history.step);
  }

  /** With what was moved within the run, and what is still to be. */
  get whole(): Experiment {
    const moved = [...this.moved, ...this.#due];
    const { moved: _, ...experiment } = this.experiment;
    return moved.length === 0 ? experiment : { ...experiment, moved };
  }

  /** A finished run takes this many more steps of its last stage. */
  async more(steps: number): Promise<void> {
    const last = this.history.stages.at(-1);
    if (this.status !== 'finished' || last === undefined) return;
    if ((await this.change({ max_steps: last.maxSteps + steps })) !== true) return;
    this.history.lengthen(steps);
    this.status = 'resting';
    await this.train();
  }

  async pause(): Promise<void> {
    if (this.status !== 'training') return;
    this.status = 'stopping';
    this.changed();
    await this.run?.pause();
  }

  /** A run that failed is opened again where it was saved; one whose device was lost resumes by itself. */
  async #recover(error: unknown): Promise<void> {
    const isLost = error instanceof RlvrError && error.code === 'device-lost';
    if (isLost) this.#losses++;
    // What only memory has must not go with the worker.
    const files = this.storage === '' ? undefined : await this.run?.files().catch(() => undefined);
    await this.open(this.experiment, files);
    this.notes.say(
      'stop',
      `${messageOf(error)}${isLost ? '\nGoing on from what was saved.' : '\nBack at what was saved.'}`,
    );
    if (isLost) void this.train();
  }

  /** Does something with the run that needs it at rest, or between two steps. */
  async #using<T>(work: (run: BrowserRun) => Promise<T>): Promise<T | undefined> {
    await this.#opened();
    const { run } = this;
    if (run === undefined) return undefined;
    const before = this.status;
    if (before !== 'training') this.status = 'busy';
    this.changed();
    try {
      return await work(run);
    } catch (error) {
      this.notes.say('stop', messageOf(error));
      return undefined;
    } finally {
      if (run === this.run && this.status === 'busy') this.status = before;
      this.changed();
    }
  }

  evaluate(): Promise<unknown> {
    return this.#using((run) => run.evaluate());
  }

  /**
   * The likeliest answer, and some that are sampled with the same random numbers each time.
   *
   * @param base  of the policy as it was before the first step
   * @throws RlvrError where the prompt is no text of the task
   */
  async ask(prompt: string, base: boolean): Promise<readonly Answer[]> {
    await this.#opened();
    const likeliest = (await this.run?.ask(prompt, { base, temperature: 0 })) ?? [];
    return [...likeliest, ...((await this.run?.ask(prompt, { base, samples: SAMPLES })) ?? [])];
  }

  /** What the policy is asked about the places of an answer. */
  inside(prompt: string, answer: Int32Array): Inside {
    return {
      next: (place) => this.#nextTokens(prompt, answer.slice(0, place)),
      attention: (place, base) => {
        if (this.run === undefined) throw new Error('The run is not open.');
        return this.run.attention(prompt, answer.slice(0, place + 1), { base });
      },
    };
  }

  /** What the policy would write now after the beginning of an answer: the likeliest of the tokens that samples meet. */
  async #nextTokens(prompt: string, begun: Int32Array): Promise<readonly NextToken[]> {
    const answers = (await this.run?.ask(prompt, { samples: NEXT_SAMPLES, ...(begun.length > 0 && { begun }) })) ?? [];
    const at = begun.length;
    const met = new Map(answers.map(({ tokens, logprobs }) => [tokens[at], Math.exp(logprobs[at] as number)]));
    const likeliest = [...met].sort(([, a], [, b]) => b - a).slice(0, MOST_NEXT);
    return likeliest.map(([id, probability]) => ({ id: id as number, probability }));
  }

  /** At a click of the visitor's, who has the code before them. */
  async tryReward(code: string): ReturnType<BrowserRun['tryReward']> {
    this.agreement.learn(code);
    await this.#opened();
    if (this.run === undefined) throw new Error('The run is not open yet.');
    return this.run.tryReward(code, 20);
  }

  /** At a click of the visitor's, too. */
  async checkTask(code: string): ReturnType<BrowserRun['checkTask']> {
    this.agreement.learn(code);
    await this.#opened();
    if (this.run === undefined) throw new Error('The run is not open yet.');
    return this.run.checkTask(code);
  }

  estimate(): Promise<Awaited<ReturnType<BrowserRun['estimate']>> | undefined> {
    return this.#using((run) => run.estimate());
  }

  weightsSha256(): Promise<string | undefined> {
    return this.#using((run) => run.weightsSha256());
  }

  exportModel(): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
    return this.#using((run) => run.exportModel());
  }

  files(): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
    return this.#using((run) => run.files());
  }

  /** Changes settings of the run under way; it rests for a moment where it trains. */
  async change(settings: SettingChange['settings']): Promise<true | undefined> {
    const wasTraining = this.status === 'training';
    if (wasTraining) await this.pause();
    const said = Object.entries(settings).map(([key, value]) => `${key} ${value}`);
    const done = await this.#using(async (run) => {
      await run.change(settings);
      this.moved = [...this.moved, { step: this.history.step, settings }];
      return true as const;
    });
    if (done) this.notes.say('note', `From step ${this.history.step + 1} on: ${said.join(', ')}. Kept with the run.`);
    // `pause` resolves with the run; the promise of `train` may be a moment later.
    if (wasTraining) {
      this.status = 'resting';
      void this.train();
    }
    return done;
  }

  /** Starts the same experiment over: what was kept of it is removed. */
  startOver(): Promise<void> {
    return this.#opens(this.#startOver());
  }

  async #startOver(): Promise<void> {
    const { run } = this;
    this.run = undefined;
    this.#opening++;
    this.status = 'opening';
    this.changed();
    await run?.close().catch(() => undefined);
    await removeKeptRun(await this.name()).catch((error: unknown) => this.notes.say('warn', messageOf(error)));
    await this.open();
  }

  /**
   * Opens a saved run, which takes the place of the kept one of the same experiment once all of it was found whole.
   *
   * @param from  name of the file
   * @returns false where its code was not agreed to
   * @throws Error in words where it is no such run; everything is as before, then
   */
  load(file: RunFile, from: string): Promise<boolean> {
    return this.#opens(this.#load(file, from));
  }

  async #load({ experiment, codes, files }: RunFile, from: string): Promise<boolean> {
    const all = { ...this.codes, ...codes };
    if (!(await this.agreement.ask(codesOf(experiment, all), from))) return false;
    const before = { experiment: this.experiment, codes: this.codes, isOpen: this.run !== undefined };
    // What only memory has must not go with the worker.
    const inMemory = this.storage === '' ? undefined : await this.run?.files().catch(() => undefined);
    this.codes = all;
    const opening = ++this.#opening;
    try {
      await this.#open(opening, experiment, { files, replaces: true });
      this.changed();
      return true;
    } catch (error) {
      if (opening === this.#opening) {
        this.codes = before.codes;
        this.experiment = before.experiment;
        this.#reset('waiting');
        if (before.isOpen) await this.open(before.experiment, inMemory);
      }
      throw error;
    }
  }

  async link(): Promise<string> {
    return `${location.origin}${location.pathname}${location.search}#${await wholeLinkOf(this.whole, this.codes)}`;
  }
}
