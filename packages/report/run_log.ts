/**
 * metrics.jsonl as far as it was read: its curves and its evaluations. Reading it once more costs the lines that came
 * since, however long it is: a page of a run under way is asked for again and again.
 */
import type { JsonObject } from '../../src/run/json.ts';
import { lineKind } from '../../src/run/logs/line_kind.ts';
import type { Store } from '../../src/run/store/store.ts';
import { logLines } from '../trackers/log_lines.ts';
import { CurveReader, type CurveState, type Curves } from './series.ts';

const LOG = 'metrics.jsonl';

export class RunLog {
  readonly #store: Store;
  #planned = '';
  #reader = new CurveReader([]);
  #newestStep = 0;
  /** Where the last whole line ends, and its bytes: in a log that a resumed run has cut, others are there. */
  #end = 0;
  #last: Uint8Array = new Uint8Array(0);
  /** Two that ask at once wait for each other. */
  #reading: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * @param planned  stages of the config, in order
   * @throws CheckpointError `log-malformed` for a line that is no JSON object
   */
  async read(planned: readonly { readonly stage: string }[]): Promise<void> {
    const reading = this.#reading.then(() => this.#readOn(planned));
    this.#reading = reading.catch(() => {});
    await reading;
  }

  /** What was read so far. */
  curves(): Curves {
    return this.#reader.curves();
  }

  /** Lines of the newest baseline and of the newest evaluation. */
  get evaluations(): readonly JsonObject[] {
    return this.#reader.evaluationLines;
  }

  /** What another reader needs to read on from here, and where that is. */
  state(): { readonly curves: CurveState; readonly end: number; readonly last: Uint8Array } {
    return { curves: this.#reader.state(), end: this.#end, last: this.#last };
  }

  /** Number of the last step in its stage; 0 before the first. */
  get newestStep(): number {
    return this.#newestStep;
  }

  async #readOn(planned: readonly { readonly stage: string }[]): Promise<void> {
    const stages = JSON.stringify(planned.map(({ stage }) => stage));
    if (stages !== this.#planned || !(await this.#isSame())) this.#begin(planned);
    this.#planned = stages;
    const begin = this.#end;
    try {
      for await (const lines of logLines(this.#store, LOG, { begin, end: Number.POSITIVE_INFINITY })) {
        for (const { record } of lines) this.#take(record);
        const { begin: from, end } = lines[lines.length - 1] as (typeof lines)[number]; // pieces are never empty
        this.#last = (await this.#store.readRange(LOG, from, end)) ?? new Uint8Array(0);
        this.#end = end;
      }
    } catch (error) {
      // Half of it was taken; read from its first line again, the mistake is reported with the number of its line.
      this.#begin(planned);
      if (begin === 0) throw error;
      await this.#readOn(planned);
    }
  }

  #begin(planned: readonly { readonly stage: string }[]): void {
    this.#reader = new CurveReader(planned);
    [this.#newestStep, this.#end, this.#last] = [0, 0, new Uint8Array(0)];
  }

  async #isSame(): Promise<boolean> {
    const bytes = (await this.#store.readRange(LOG, this.#end - this.#last.length, this.#end)) ?? new Uint8Array(0);
    return bytes.length === this.#last.length && this.#last.every((byte, i) => byte === bytes[i]);
  }

  #take(record: JsonObject): void {
    this.#reader.read(record);
    if (lineKind(record) === 'step') this.#newestStep = Number(record.step ?? 0);
  }
}
