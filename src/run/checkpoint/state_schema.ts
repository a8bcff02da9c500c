/**
 * What each part of a checkpoint's state looks like, checked before any of it is used.
 *
 * Hashes prove that state.json is unchanged, not that its writer was sound. An error names the malformed part and the
 * place in it. Unknown fields pass, so that parts may grow.
 */
import { z } from 'zod';
import { CheckpointError } from '../../errors.ts';
import { groupRecordSchema, rolloutRecordSchema, verdictSchema } from '../../methods/support/rollouts/rollout_forms.ts';
import type { PartId } from './capture.ts';

const count = z.int().nonnegative();
const number = z.number();
const share = z.number();

const secondsSchema = z.object({ sft: number, rollout: number, verify: number, update: number, eval: number });

const estimateSchema = z.object({ mean: share, low: share, high: share, count });

const reachSchema = z.object({ problems: count, once: count, always: count }).optional();

const evaluationSchema = z.object({
  accuracy: estimateSchema,
  byTask: z.record(z.string(), z.object({ accuracy: estimateSchema, meanAtK: estimateSchema })).optional(),
  samples: count,
  meanAtK: estimateSchema,
  passAtK: z.record(z.string(), estimateSchema),
  meanLength: number,
  reach: reachSchema,
  figures: z.record(z.string(), estimateSchema).optional(),
  examples: z.array(z.object({ prompt: z.string(), completion: z.string(), verdict: verdictSchema })),
});

const paySchema = z.object({ count, mean: number });

const batchSchema = z.object({
  ...Object.fromEntries(
    [
      'step completions groups live allRight allWrong rounds correct invalid rewarded reward lowest highest paid spread',
      'entropy meanLength longest truncated eos variety',
    ].flatMap((line) => line.split(' ').map((name) => [name, number])),
  ),
  helped: number.optional(),
  turns: number.optional(),
  judge: z.object({ said: z.string(), often: number, right: number }).optional(),
  replayAge: number.optional(),
  starved: z.object({ source: z.string(), share: number }).optional(),
  refused: z.object({ inside: number, exact: number, reason: z.string() }).optional(),
  pay: z.object({ right: paySchema, wrong: paySchema }).optional(),
  seconds: z.object({ verify: number, all: number }),
});

const updateSchema = z.object({
  step: count,
  loss: number,
  gradNorm: number,
  learningRate: number,
  onPolicy: z.boolean().optional(),
  clipped: number.optional(),
  kl: number.optional(),
  meanDifference: number.optional(),
  maxDifference: number.optional(),
  replayMoved: number.optional(),
});

const evaluationRecordSchema = z.object({
  step: count,
  greedy: estimateSchema,
  sampled: estimateSchema,
  samples: count,
  pass: estimateSchema,
  reach: reachSchema,
  training: z.object({ reward: number, correct: number }).nullable(),
  chance: number.optional(),
});

const averageSchema = z.object({
  step: count,
  completions: count,
  reward: number,
  paid: number,
  correct: number,
  live: number,
  entropy: number,
  length: number,
  error: number.optional(),
});

const factsSchema = z.object({
  isPretrained: z.boolean(),
  problems: count.nullable(),
  answers: z.object({ limit: count, cut: share, longest: count }).nullable(),
});

const historySchema = z.object({
  start: factsSchema.nullable().optional(),
  batches: z.array(batchSchema),
  updates: z.array(updateSchema),
  evaluations: z.array(evaluationRecordSchema),
  firstEvaluation: evaluationRecordSchema.nullable(),
  bestSampled: evaluationRecordSchema.nullable(),
  bestGreedy: evaluationRecordSchema.nullable(),
  firstAverage: averageSchema.nullable(),
  bestAverage: averageSchema.nullable(),
  lowestReward: number.nullable(),
  mostCorrect: z.object({ step: count, share: number }),
  eosSeen: z.boolean(),
  rightPay: paySchema.optional(),
  problems: z.object({ drawn: count, sample: z.array(number), drawnSince: count, hits: count }),
  since: z.object({ batches: count, reward: number, correct: number }),
  lowestLoss: number.nullable(),
  seconds: secondsSchema,
});

const watchSchema = z.object({
  history: historySchema,
  alarms: z.record(z.string(), z.object({ found: count, away: count, stands: z.boolean(), times: count })),
  said: z.array(
    z.object({
      stage: z.enum(['sft', 'grpo']),
      code: z.string(),
      level: z.enum(['note', 'warning', 'stop']),
      step: count,
      times: count,
      message: z.string(),
      withdrawn: count.optional(),
    }),
  ),
  acts: z.object({ acted: z.array(z.string()), figures: z.record(z.string(), z.boolean()) }).optional(),
});

/** Older checkpoints hold it in the JSON, token by token. */
const rolloutSchema = rolloutRecordSchema.extend({ keptLogMass: z.record(z.string(), number).optional() });

const bufferSchema = z.object({
  stepsTaken: count,
  temperature: number.positive().optional(),
  weightsVersion: count.optional(),
  observations: z.array(z.union([z.tuple([z.string(), number]), z.tuple([z.string(), number, z.string()])])).optional(),
  groups: z.array(groupRecordSchema(rolloutSchema)),
});

const bestSchema = z
  .object({
    stageIndex: count,
    stage: z.enum(['sft', 'grpo']),
    step: count,
    metric: z.string(),
    value: number,
    evaluation: evaluationSchema,
    fileSha256: z.string().optional(),
  })
  .nullable();

/** A part of the state by its id, as its owner saves it. */
export const PART_SCHEMAS: Readonly<Record<PartId, z.ZodType>> = {
  counters: z.object({
    itemsDrawn: count,
    rolloutsDrawn: count,
    tokens: count,
    deadBatches: count,
    seconds: secondsSchema,
  }),
  stage: z.object({
    isBegun: z.boolean(),
    unreported: z.record(z.string(), z.union([number, z.string()])).optional(),
  }),
  evaluations: z.object({ baseline: evaluationSchema.optional(), final: evaluationSchema.optional() }),
  best: bestSchema,
  watch: watchSchema,
  buffer: bufferSchema.nullable(),
  queue: z.array(bufferSchema),
  steering: z.object({
    settings: z.record(z.string(), number),
    momentsFrom: count,
    endings: z.array(z.object({ stageIndex: count, step: count, reason: z.string() })),
  }),
  methods: z.record(z.string(), z.json()),
  ledger: z.array(
    z.union([
      z.tuple([z.string(), count, number, count]),
      z.tuple([z.string(), count, number, count, z.string(), z.array(number)]),
    ]),
  ),
};

/** The envelope of state.json. */
export const stateFileSchema = z.object({
  wallSeconds: number.nonnegative(),
  completionsBytes: count,
  unwritten: z.object({ metrics: z.array(z.string()), completions: z.array(z.string()) }).optional(),
  parts: z.record(z.string(), z.unknown()),
});

/** @throws CheckpointError `state-malformed`, which names the first place that is not as it should be */
export function requireForm(schema: z.ZodType, value: unknown, name: string): void {
  const issue = schema.safeParse(value).error?.issues[0];
  if (issue === undefined) return;
  throw malformedState(`${[name, ...issue.path].join('.')}: ${issue.message}`);
}

export function malformedState(what: string): CheckpointError {
  const remedy =
    'No rlvr-train wrote it so: restore the checkpoint from a copy, or remove it and resume from the one before';
  return new CheckpointError(
    'state-malformed',
    `checkpoint: state.json is not one that can be resumed (${what}). ${remedy}.`,
  );
}
