/** Writes fleet.jsonl beside the logs of a run. */
import { CheckpointError } from '../../../src/errors.ts';
import { MetricsLog } from '../../../src/run/logs/metrics_log.ts';
import type { Store } from '../../../src/run/store/store.ts';
import { FLEET_LOG, type FleetLine } from '../../fleet/fleet_log.ts';
import { type FleetFigures, fleetAdvice } from '../../fleet/tally.ts';

export class FleetRecorder {
  readonly #store: Store;
  #log: MetricsLog | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A disk that refuses it ends no run: nothing depends on it. */
  async record({ stage, step }: Pick<FleetLine, 'stage' | 'step'>, figures: FleetFigures): Promise<void> {
    await ifItCan(async () => {
      this.#log ??= await MetricsLog.open(this.#store, FLEET_LOG);
      await this.#log.append({ ...lineOf(stage, step, figures) });
    });
  }

  async close(): Promise<void> {
    await ifItCan(async () => this.#log?.flush());
  }
}

function lineOf(stage: string, step: number, figures: FleetFigures): FleetLine {
  const advice = fleetAdvice(figures);
  return {
    stage,
    step,
    workers: figures.workers,
    groups_by_workers: figures.groupsThere,
    groups_by_learner: figures.groupsHere,
    groups_under_way: figures.underWay,
    groups_ahead: figures.ahead,
    groups_continued: figures.continued,
    groups_checked: figures.checked,
    answers_doubled: figures.doubled,
    answers_refused: figures.refused,
    wasted_seconds: figures.wastedSeconds,
    waited_seconds: figures.waitedSeconds,
    broadcast_seconds: figures.sentSeconds,
    broadcast_bytes: figures.sentBytes,
    seconds: figures.seconds,
    ...(advice !== undefined && { advice }),
  };
}

async function ifItCan(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
  }
}
