/** The run of an experiment that this browser keeps, as a recording. */
import { opfsStore } from 'rlvr-train/web';
import { type Recording, recordedOf } from '../../packages/web/recording.ts';
import { jsonLines } from './earlier.ts';
import type { Experiment } from './experiment.ts';

/** @returns undefined where there is nothing to replay: fewer than two evaluations */
export async function keptRecording(name: string, { warmStart, seed }: Experiment): Promise<Recording | undefined> {
  const store = await opfsStore(name);
  const [metrics, answers] = await Promise.all(
    ['metrics.jsonl', 'evaluations/answers.jsonl'].map(async (path) => jsonLines(await store.read(path))),
  );
  const stages = warmStart > 0 ? (['sft', 'grpo'] as const) : (['grpo'] as const);
  const recorded = recordedOf({ metrics: metrics ?? [], answers: answers ?? [], stages });
  return recorded.moments.length < 2 ? undefined : { seed, ...recorded };
}
