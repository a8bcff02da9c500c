/** The model page's one run: what the buttons of its panels do. */
import {
  type Answer,
  type BackendRequest,
  type BrowserEvent,
  type BrowserRun,
  type OpenOptions,
  openRunInWorker,
  planRun,
  type RunPlan,
  removeKeptRun,
  type Sampling,
} from 'rlvr-train/web';
import { messageOf } from '../notes.ts';
import { ShownRun } from '../shown_run.ts';

/** `waiting`: nothing is open before a click. */
export type ModelStatus =
  | 'waiting'
  | 'planning'
  | 'opening'
  | 'resting'
  | 'training'
  | 'stopping'
  | 'busy'
  | 'finished';

const MOST_COMPARED = 8;
/** Milliseconds between two looks at completions under way. */
const SAMPLING_MS = 250;

type ExportForm = Parameters<BrowserRun['exportAs']>[0];

/** What base and adapter said to the same text; undefined: not yet. */
export interface Compared {
  readonly prompt: string;
  readonly step: number;
  readonly base?: Answer;
  readonly adapter?: Answer;
}

export class ModelLab extends ShownRun {
  status: ModelStatus = 'waiting';
  yaml = '';
  #data: OpenOptions['data'];
  run: BrowserRun | undefined;
  plan: RunPlan | undefined;
  /** Why there is no plan, in words. */
  problem: string | undefined;
  /** Completions under way; undefined where the newest were read to their end. */
  sampling: Sampling | undefined;
  /** The weights are about to move by what was sampled. */
  isLearning = false;
  /** What a visitor's question is answered with so far. */
  partial = '';
  compared: readonly Compared[] = [];
  /** For the curves: the stages say how long they are once a run is open. */
  readonly experiment = { beta: 0, warmStart: 0, steps: 1 };
  readonly #backend: BackendRequest;

  /** @param changed  called whenever anything here is different */
  constructor(backend: BackendRequest, changed: () => void) {
    super(changed);
    this.#backend = backend;
  }

  /** Name of the run directory: the same job is the same run. */
  async #name(): Promise<string> {
    const job = this.yaml + Object.values(this.#data ?? {}).join('');
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(job)));
    return `model-${Array.from(digest.subarray(0, 5), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }

  /** Another job: the run before is kept, and closed. @param data  rows by the name that the job has for them */
  async choose(yaml: string, data?: OpenOptions['data']): Promise<void> {
    if (yaml === this.yaml && JSON.stringify(data) === JSON.stringify(this.#data)) return;
    const before = this.run;
    this.yaml = yaml;
    this.#data = data;
    this.run = undefined;
    this.plan = undefined;
    this.problem = undefined;
    this.sampling = undefined;
    this.compared = [];
    this.status = 'waiting';
    this.forget();
    this.changed();
    await before?.close().catch(() => undefined); // a lost device cannot be closed
  }

  /** Nothing is open, and a click may open it. */
  get isClosed(): boolean {
    return this.status === 'waiting' || this.status === 'planning';
  }

  /** What it would take. A job that is no longer the chosen one is not shown. */
  async look(): Promise<void> {
    const { yaml } = this;
    const data = this.#data;
    if (this.status !== 'waiting' || this.plan !== undefined) return;
    const isChosen = (): boolean => yaml === this.yaml && data === this.#data;
    this.status = 'planning';
    this.changed();
    try {
      const plan = await planRun({ yaml, backend: this.#backend, data });
      if (isChosen()) this.plan = plan;
    } catch (error) {
      if (isChosen()) this.problem = messageOf(error);
    }
    if (isChosen() && this.status === 'planning') this.status = 'waiting';
    this.changed();
  }

  async open(): Promise<void> {
    if (!this.isClosed) return;
    const { yaml } = this;
    await this.#during('opening', async () => {
      const run = await openRunInWorker({
        ...{ yaml, name: await this.#name(), backend: this.#backend, data: this.#data },
        samplingMs: SAMPLING_MS,
      });
      if (yaml !== this.yaml) return void run.close();
      this.run = run;
      run.listen((event) => this.hear(event));
      this.show(run.opened);
    });
  }

  async train(steps?: number): Promise<void> {
    if (this.run === undefined) await this.open();
    const { run } = this;
    if (run === undefined || this.status !== 'resting') return;
    this.pace.restart();
    await this.#during('training', async () => void (await run.train(steps === undefined ? {} : { steps })));
  }

  async pause(): Promise<void> {
    if (this.status !== 'training') return;
    this.status = 'stopping';
    this.changed();
    await this.run?.pause();
  }

  /** Removes what was kept of this job. */
  async startOver(): Promise<void> {
    const { run } = this;
    this.run = undefined;
    this.compared = [];
    this.sampling = undefined;
    this.forget();
    await this.#during('busy', async () => {
      await run?.close().catch(() => undefined);
      await removeKeptRun(await this.#name());
    });
  }

  /** Asks base and adapter the same, one after the other, in the one engine. */
  async compare(prompt: string, temperature: number): Promise<void> {
    if (this.run === undefined) await this.open();
    const { run, history } = this;
    if (run === undefined) return;
    const earlier = this.compared;
    const show = (now: Compared): void => {
      this.partial = '';
      this.compared = [now, ...earlier].slice(0, MOST_COMPARED);
      this.changed();
    };
    const ask = async (): Promise<void> => {
      const how = { temperature, seed: Date.now() % 1e6 };
      const asked = { prompt, step: history.step };
      show(asked);
      try {
        const [base] = await run.ask(prompt, { ...how, base: true });
        show({ ...asked, step: history.step, base });
        const [adapter] = await run.ask(prompt, how);
        show({ ...asked, step: history.step, base, adapter });
      } catch (error) {
        this.compared = earlier;
        throw error;
      }
    };
    // A training answers between two of its steps, and goes on.
    await (this.status === 'training' ? this.#say(ask) : this.#during('busy', ask));
  }

  /** @returns files by their path; undefined where it failed, which was said */
  async give(form: ExportForm, dtype: string): Promise<ReadonlyMap<string, Blob> | undefined> {
    const { run } = this;
    if (run === undefined) return undefined;
    let files: ReadonlyMap<string, Blob> | undefined;
    await this.#during('busy', async () => {
      files = await run.exportAs(form, dtype);
    });
    return files;
  }

  protected override hear(event: BrowserEvent): void {
    if (event.type === 'sampling') {
      if (event.asks === 'visitor') this.partial = event.texts[0]?.text ?? '';
      else this.sampling = event;
    } else if (event.type === 'rollouts' || event.type === 'evaluation' || event.type === 'status') {
      this.sampling = undefined;
    }
    if (event.type === 'rollouts') this.isLearning = true;
    else if (event.type === 'step' || event.type === 'status') this.isLearning = false;
    super.hear(event);
  }

  /** Share of the step, or of the first evaluation, that was sampled: it samples twice, and a step learns as long as it samples. */
  get sampledShare(): number {
    if (this.sampling === undefined) return 0;
    const { asks, ended, completions } = this.sampling;
    return ((asks === 'sampled' ? 1 : 0) + ended / completions) / 2;
  }

  /** Seconds to the end at the pace of the last steps, before there is one as planned; undefined: not known. */
  secondsLeft(): number | undefined {
    const { history, pace, plan, sampling, sampledShare } = this;
    const left = history.total - history.step;
    if (left <= 0) return undefined;
    if (pace.perSecond > 0) return (left - (sampling?.asks === 'training' ? sampledShare : 0)) / pace.perSecond;
    if (plan === undefined) return undefined;
    const evaluated = sampling?.asks === 'training' ? 1 : sampledShare;
    return (plan.seconds * left) / history.total - evaluated * (plan.secondsPerEvaluation[0] ?? 0);
  }

  /** What is shown afterwards is where the run is. */
  async #during(status: ModelStatus, work: () => Promise<void>): Promise<void> {
    this.status = status;
    this.changed();
    await this.#say(work);
    const { history, run } = this;
    const isFinished = history.total > 0 && history.step >= history.total;
    this.status = run === undefined ? 'waiting' : isFinished ? 'finished' : 'resting';
    this.changed();
  }

  /** What goes wrong is a note. */
  async #say(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.notes.say('stop', messageOf(error));
    }
    this.changed();
  }
}
