/** What an opened run shows of its past: the lines of metrics.jsonl up to its present step. */
import { type Progress, stageOf } from '../../../src/grpo/run.ts';
import type { Store } from '../../../src/run/store/store.ts';

type MetricsRecord = Readonly<Record<string, unknown>>;

/** Most steps that are shown of a long past; evaluations are all shown. */
const MOST_STEPS = 2000;

export async function pastMetrics(store: Store, run: Progress): Promise<MetricsRecord[]> {
  const { stageIndex, step, isBegun } = run.journal.state;
  if (!isBegun && stageIndex === 0) return [];
  const { stage } = stageOf(run);
  const lines = new TextDecoder()
    .decode(await store.read('metrics.jsonl'))
    .split('\n')
    .slice(0, -1);
  const records = lines.map((line) => JSON.parse(line) as MetricsRecord);
  // Lines after the checkpoint are written again.
  const end = records.findIndex((record) => record.stage === stage && Number(record.step) > step);
  return thinned(end < 0 ? records : records.slice(0, end));
}

function thinned(records: readonly MetricsRecord[]): MetricsRecord[] {
  const every = Math.ceil(records.length / MOST_STEPS);
  return records.filter((record, i) => i % every === 0 || i === records.length - 1 || record.evaluation !== undefined);
}
