/** Records of evaluations from a run directory: `problem_records.ts` wrote them. */
import { z } from 'zod';
import { CheckpointError } from '../../../src/errors.ts';
import type { KeptMoment } from '../../../src/run/logs/kept_moments.ts';
import {
  type KeptProblem,
  type KeptRecords,
  type RecordHead,
  recordFile,
} from '../../../src/run/logs/problem_records.ts';
import type { Store } from '../../../src/run/store/store.ts';
import { logLines } from '../../trackers/log_lines.ts';

const count = z.int().nonnegative();

const headSchema = z.object({
  version: z.literal(1),
  stageIndex: count,
  stage: z.enum(['sft', 'grpo']),
  step: count,
  tasks: z.array(z.looseObject({ task: z.looseObject({ name: z.string() }), weight: z.number() })),
  problems: z.string(),
  count: count.positive(),
  samples: count,
  sampling: z.looseObject({ temperature: z.number() }),
  seed: z.int(),
});

const verdict = z.object({
  score: z.number().nullable(),
  status: z.enum(['correct', 'incorrect', 'invalid', 'truncated']),
  failure: z.string().optional(),
  canonical: z.string().optional(),
});

const problemSchema = z.object({
  key: z.string(),
  weight: z.number().positive(),
  prompt: z.string(),
  task: z.string().optional(),
  level: z.number().optional(),
  greedy: verdict.extend({ text: z.string(), length: count }),
  samples: z.array(verdict.extend({ tokens: z.array(count), logprob: z.number() })),
});

/**
 * The records of an evaluation of a run.
 *
 * @throws CheckpointError `no-records` where the run has none, `records-malformed` where no rlvr-train wrote the file so
 */
export async function readRecords(store: Store, moment: KeptMoment, directory: string): Promise<KeptRecords> {
  const file = `${directory}/${recordFile(moment)}`;
  if (!(await store.exists(recordFile(moment)))) {
    const remedy = `Runs keep ${recordFile('final')} when they end; one of before they did, or one that is not finished, has none`;
    throw new CheckpointError('no-records', `${file}: there is no such file. ${remedy}.`, { directory, moment });
  }
  const records: object[] = [];
  for await (const lines of logLines(store, recordFile(moment))) records.push(...lines.map(({ record }) => record));
  const [first, ...rest] = records;
  const head = headSchema.safeParse(first);
  const parsed = rest.map((record) => problemSchema.safeParse(record));
  const bad = [head, ...parsed].findIndex(({ success }) => !success);
  const [malformed] = [head, ...parsed].flatMap(({ error }) => error?.issues[0] ?? []);
  if (malformed !== undefined || !head.success) {
    const where = malformed?.path.join('.') ?? '';
    throw new CheckpointError(
      'records-malformed',
      `${file}: line ${bad + 1}: ${where}: ${malformed?.message} — not as this rlvr-train writes it; use the version that did.`,
    );
  }
  const problems = parsed.flatMap(({ data }) => data ?? []);
  if (problems.length !== head.data.count || problems.some(({ samples }) => samples.length !== head.data.samples)) {
    throw new CheckpointError('records-malformed', `${file}: is cut off; copy it again.`);
  }
  return { head: head.data as unknown as RecordHead, problems: problems as readonly KeptProblem[] }; // in their forms
}
