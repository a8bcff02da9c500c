/** The model page's one run: what the buttons of its panels do. */
import {
  type Answer,
  type BackendRequest,
  type BrowserRun,
  openRunInWorker,
  planRun,
  type RunPlan,
  removeKeptRun,
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

type ExportForm = Parameters<BrowserRun['exportAs']>[0];

/** What base and adapter said to the same text. */
export interface Compared {
  readonly prompt: string;
  readonly step: number;
  readonly base: Answer;
  readonly adapter: Answer;
}

export class ModelLab extends ShownRun {
  status: ModelStatus = 'waiting';
  yaml = '';
  run: BrowserRun | undefined;
  plan: RunPlan | undefined;
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
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(this.yaml)));
    return `model-${Array.from(digest.subarray(0, 5), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }

  /** Another job: the run before is kept, and closed. */
  async choose(yaml: string): Promise<void> {
    if (yaml === this.yaml) return;
    const before = this.run;
    this.yaml = yaml;
    this.run = undefined;
    this.plan = undefined;
    this.compared = [];
    this.status = 'waiting';
    this.forget();
    this.changed();
    await before?.close().catch(() => undefined); // a lost device cannot be closed
  }

  /** What it would take. */
  async look(): Promise<void> {
    if (this.status !== 'waiting') return;
    const { yaml } = this;
    await this.#during('planning', async () => {
      const plan = await planRun({ yaml, backend: this.#backend });
      if (yaml === this.yaml) this.plan = plan;
    });
  }

  async open(): Promise<void> {
    if (this.status !== 'waiting') return;
    const { yaml } = this;
    await this.#during('opening', async () => {
      const run = await openRunInWorker({ yaml, name: await this.#name(), backend: this.#backend });
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
    const ask = async (): Promise<void> => {
      const how = { temperature, seed: Date.now() % 1e6 };
      const [base] = await run.ask(prompt, { ...how, base: true });
      const [adapter] = await run.ask(prompt, how);
      if (base === undefined || adapter === undefined) return;
      this.compared = [{ prompt, step: history.step, base, adapter }, ...this.compared].slice(0, MOST_COMPARED);
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
