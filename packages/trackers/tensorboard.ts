/**
 * `tensorboard/<n>-<stage>/events.out.tfevents.…`: the metrics of each stage for TensorBoard, in TRL's names.
 *
 * Tags are those of Hugging Face's trainer: `train/<metric>` and `eval/<metric without eval_>`; steps are those of the
 * stage; several batches that were drawn for a step are several points of it. Every session writes a file of its own, which begins by declaring its first step: readers drop what files
 * before it say of that step and later ones. So a resumed run shows each step once, though a kill may have left lines
 * beyond the checkpoint.
 *
 * A stage's first file also has its config, for the page "HParams" and as a text, and each step its completions as a
 * table of texts, `train/completions`.
 */
import { resolvedYaml } from '../../src/config/dump.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import type { TrainEvent } from '../../src/grpo/events.ts';
import { evaluationMetrics } from '../../src/grpo/metrics.ts';
import { flatStage } from '../../src/run/flat_config.ts';
import type { CompletionLine, ReadCompletionLine } from '../../src/run/logs/completions.ts';
import type { EventLog } from '../../src/run/logs/run_logs.ts';
import type { Store } from '../../src/run/store/store.ts';
import { joinBytes } from '../../src/run/store/store.ts';
import { encodeEvent, type TensorBoardEvent } from './event_file.ts';

const FOLDER = 'tensorboard';
/** Seconds that an event may wait for the disk. */
const FLUSH_SECONDS = 1;

/** Fields of completions.jsonl that a reader of texts wants. */
const COLUMNS = [
  'prompt',
  'completion',
  'status',
  'reward',
  'advantage',
] as const satisfies readonly (keyof CompletionLine)[];

/** Writes what the trainer says; nothing before its first `stage` event. */
export class TensorBoardLog implements EventLog {
  readonly #store: Store;
  readonly #config: RunConfig;
  readonly #now: () => number;
  #file = '';
  #held: Uint8Array[] = [];
  /** Bytes of whole records in the file; half a record may follow after a failed write. */
  #bytes = 0;
  #torn = false;
  #flushedAt = 0;

  /** @param now  seconds since 1970 */
  constructor(store: Store, config: RunConfig, now: () => number = () => Date.now() / 1000) {
    this.#store = store;
    this.#config = config;
    this.#now = now;
  }

  /** @throws CheckpointError when the disk refuses; the events are kept and tried again with the next write */
  async handle(event: TrainEvent): Promise<void> {
    if (event.type === 'stage') {
      if (this.#file !== '') await this.#end();
      await this.#begin(`${event.index + 1}-${event.stage}`, event);
    }
    if (event.type === 'step' || event.type === 'batch')
      await this.#scalars(event.step, event.metrics, (name) => `train/${name}`);
    if (event.type === 'evaluation') {
      const metrics = evaluationMetrics(event.evaluation);
      await this.#scalars(event.step, metrics, (name) => `eval/${name.replace(/^eval_/, '')}`);
    }
    if (event.type === 'end') await this.#end();
  }

  /** The completions of a step, as completions.jsonl has them. */
  async completions(step: number, records: readonly ReadCompletionLine[]): Promise<void> {
    const rows = records.map((record) => COLUMNS.map((column) => cellText(record[column])));
    const heading = COLUMNS.map((column) => `**${column}**`);
    const tag = 'train/completions';
    await this.#write({ type: 'texts', wallSeconds: this.#now(), step, tag, rows: [heading, ...rows] });
  }

  /** Hands every held event to the system. */
  async flush(): Promise<void> {
    this.#flushedAt = this.#now();
    if (this.#held.length === 0) return;
    const records = joinBytes(this.#held);
    if (this.#torn) await this.#store.truncate(this.#file, this.#bytes);
    this.#torn = true;
    await this.#store.append(this.#file, records);
    this.#torn = false;
    this.#bytes += records.length;
    this.#held = [];
  }

  /** A new file in the stage's folder. A stage that starts over voids all of an earlier attempt, its baseline too. */
  async #begin(folder: string, { index, step }: { readonly index: number; readonly step: number }): Promise<void> {
    await this.flush();
    const place = `${FOLDER}/${folder}`;
    const number = (await this.#store.list(place)).length;
    this.#file = `${place}/events.out.tfevents.${String(number).padStart(6, '0')}.rlvr-train`;
    this.#bytes = 0;
    const wallSeconds = this.#now();
    await this.#write({ type: 'version', wallSeconds, step: 0 });
    await this.#write({ type: 'session', wallSeconds, step: step === 0 ? 0 : step + 1 });
    if (step > 0) return;
    await this.#write({ type: 'hparams', wallSeconds, step: 0, hparams: flatStage(this.#config, index) });
    const rows = [[fenced(resolvedYaml(this.#config), 'yaml')]];
    await this.#write({ type: 'texts', wallSeconds, step: 0, tag: 'config', rows });
  }

  async #end(): Promise<void> {
    await this.#write({ type: 'hparams-end', wallSeconds: this.#now(), step: 0 });
  }

  async #scalars(
    step: number,
    metrics: Readonly<Record<string, number | string>>,
    tag: (name: string) => string,
  ): Promise<void> {
    const numbers = Object.entries(metrics).filter(([name, value]) => name !== 'step' && typeof value === 'number');
    const scalars = numbers.map(([name, value]) => [tag(name), value as number] as const);
    await this.#write({ type: 'scalars', wallSeconds: this.#now(), step, scalars });
  }

  async #write(event: TensorBoardEvent): Promise<void> {
    this.#held.push(encodeEvent(event));
    if (event.wallSeconds - this.#flushedAt >= FLUSH_SECONDS) await this.flush();
  }
}

/** A value as Markdown that shows it as it is. */
function cellText(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(Number(value.toPrecision(4))) : '';
  if (value === '') return '';
  return value.includes('\n') ? fenced(value, '') : code(value);
}

function code(text: string): string {
  const marks = '`'.repeat(longestRun(text) + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return marks + space + text + space + marks;
}

function fenced(text: string, language: string): string {
  const marks = '`'.repeat(Math.max(2, longestRun(text)) + 1);
  return `${marks}${language}\n${text.trimEnd()}\n${marks}`;
}

/** Length of the longest run of backticks. */
function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
