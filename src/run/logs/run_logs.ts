/**
 * The logs of a run: metrics.jsonl, completions.jsonl, and event files on request.
 *
 * If the disk refuses a line, the run does not end within the step: it holds the line, saves it with the next step, and
 * only then ends. So a resume finds every line, as if the run had never stopped.
 */
import { CheckpointError } from '../../errors.ts';
import type { TrainEvent } from '../../grpo/events.ts';
import type { LogPositions } from '../checkpoint/capture.ts';
import type { JsonObject } from '../json.ts';
import type { ReporterEvent } from '../reporter_event.ts';
import type { Store } from '../store/store.ts';
import { isRecorded, type ReadCompletionLine } from './completions.ts';
import { MetricsLog } from './metrics_log.ts';

/** Lengths in bytes. */
type LogEnds = Pick<LogPositions, 'metrics' | 'completions'>;

/** A further log of the trainer's events. Each method rejects with CheckpointError if the disk refuses. */
export interface EventLog {
  handle(event: TrainEvent): Promise<void>;
  /** The completions of a step, as completions.jsonl has them. */
  completions(step: number, lines: readonly ReadCompletionLine[]): Promise<void>;
  /** Hands every held event to the system. */
  flush(): Promise<void>;
}

/** The logs of a session. */
export class RunLogs {
  readonly #metrics: MetricsLog;
  readonly #completions: MetricsLog;
  readonly #events: EventLog | undefined;
  #hasRefused = false;

  private constructor(metrics: MetricsLog, completions: MetricsLog, events: EventLog | undefined) {
    this.#metrics = metrics;
    this.#completions = completions;
    this.#events = events;
  }

  /** Opens them at their ends, creating nothing yet. */
  static async open(store: Store, events?: EventLog): Promise<RunLogs> {
    const completions = await MetricsLog.open(store, 'completions.jsonl');
    const metrics = await MetricsLog.open(store, 'metrics.jsonl', { after: completions });
    return new RunLogs(metrics, completions, events);
  }

  /** Whether the disk refused a line since the last save; the run should then save. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  /**
   * @param logged  what the logs record of the event
   * @throws CheckpointError where event files cannot be written
   */
  async record(event: TrainEvent, logged: ReporterEvent | undefined): Promise<void> {
    await this.#events?.handle(event);
    if (logged?.type === 'step' || logged?.type === 'batch') await this.#append(this.#metrics, logged.metrics);
    if (logged?.type === 'evaluation') {
      const { step, stage, moment, metrics } = logged;
      await this.#append(this.#metrics, { step, stage, evaluation: moment, ...metrics });
    }
    if (logged?.type === 'diagnosis') {
      const { step, stage, code, level, message } = logged;
      await this.#append(this.#metrics, { step, stage, diagnosis: code, level, message });
    }
    if (logged?.type === 'completions' && isRecorded(logged.step)) {
      await this.#events?.completions(logged.step, logged.completions);
      for (const line of logged.completions) await this.#append(this.#completions, line);
    }
  }

  async #append(log: MetricsLog, line: JsonObject): Promise<void> {
    try {
      await log.append(line);
    } catch (error) {
      if (!(error instanceof CheckpointError)) throw error;
      this.#hasRefused = true; // the log holds the line; `position` says what became of it
    }
  }

  /** Positions for a checkpoint, which holds lines that the disk still refuses, and the disk's failure. */
  async positions(): Promise<{ readonly positions: LogPositions; readonly failure: CheckpointError | undefined }> {
    const [completions, metrics] = [await this.#completions.position(), await this.#metrics.position()];
    const unwritten = { metrics: metrics.unwritten ?? [], completions: completions.unwritten ?? [] };
    const failure = metrics.failure ?? completions.failure;
    this.#hasRefused = failure !== undefined;
    return {
      positions: { metrics: metrics.bytes, completions: completions.bytes, ...(failure && { unwritten }) },
      failure,
    };
  }

  /** Cuts the logs back to a checkpoint. @returns notes for the user */
  async cutTo({ metrics, completions, unwritten }: LogPositions): Promise<string[]> {
    const cuts = [
      { file: 'metrics.jsonl', cut: await this.#metrics.truncateTo(metrics) },
      { file: 'completions.jsonl', cut: await this.#completions.truncateTo(completions) },
    ];
    await this.#completions.writeAgain(unwritten?.completions ?? []);
    await this.#metrics.writeAgain(unwritten?.metrics ?? []);
    return cuts.flatMap(({ file, cut: { missingBytes } }) =>
      missingBytes > 0 ? [`${file} has lost ${missingBytes} bytes that the checkpoint counted.`] : [],
    );
  }

  /** Lengths of the logs with every line so far, written or held. */
  get ends(): LogEnds {
    return { metrics: this.#metrics.end, completions: this.#completions.end };
  }

  /** Takes back the lines after these ends. */
  async takeBack({ metrics, completions }: Partial<LogEnds>): Promise<void> {
    if (metrics !== undefined) await this.#metrics.takeBack(metrics);
    if (completions !== undefined) await this.#completions.takeBack(completions);
  }

  async flush(): Promise<void> {
    await this.#metrics.flush();
    await this.#completions.flush();
    await this.flushEvents();
  }

  /** Flushes only the event files, which no checkpoint covers. */
  async flushEvents(): Promise<void> {
    await this.#events?.flush();
  }
}
