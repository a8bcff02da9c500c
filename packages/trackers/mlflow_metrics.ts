/**
 * Lines of metrics.jsonl as MLflow has them.
 *
 * What is sent twice must be the same to the byte, so that the server keeps it once: a line's time is that of the run's
 * start, and of all steps up to it.
 */
import type { ReadLine } from './metrics_walk.ts';
import type { MlflowMetric, MlflowPair } from './mlflow_client.ts';

const MOST_TAG = 4_000;

/** @param startMs  of the run, since 1970 */
export function entriesOf(
  { walk, step, numbers, diagnosis }: ReadLine,
  startMs: number,
): { readonly metrics: readonly MlflowMetric[]; readonly tags: readonly MlflowPair[] } {
  // The server keeps one of equal values of a step and a time: batches are a millisecond apart.
  const timestamp = Math.round(startMs + walk.seconds * 1000) + walk.batches;
  const metrics = numbers.map(([key, value]) => ({ key: nameOf(key), value, timestamp, step }));
  if (diagnosis === undefined) return { metrics, tags: [] };
  const value = `step ${step - walk.before}: ${diagnosis.message}`.slice(0, MOST_TAG);
  return { metrics, tags: [{ key: nameOf(`diagnosis.${diagnosis.code}`), value }] };
}

/** As transformers writes them: what MLflow does not take in a name becomes `_`, as in `eval_mean_4`. */
export function nameOf(key: string): string {
  return key.replace(/[^0-9A-Za-z_\-. :/]/g, '_').slice(0, 250);
}
