/** Restores a run from a checkpoint. Loaded on demand, since a fresh run does not need it. */
import type { Watch } from '../../diagnostics/watch.ts';
import { CheckpointError, RlvrError } from '../../errors.ts';
import type { BestEvaluation } from '../../grpo/best_evaluation.ts';
import type { RunState, Steering } from '../../grpo/journal.ts';
import type { Progress, TrainingRun } from '../../grpo/run.ts';
import { restoreMethods } from '../../methods/part_states.ts';
import type { StepMetrics } from '../../methods/records.ts';
import { namedSettings } from '../../methods/settings.ts';
import type { Policy } from '../../model/policy.ts';
import type { TensorRecord } from '../../model/safetensors.ts';
import type { Json } from '../../options/json.ts';
import type { JsonObject } from '../json.ts';
import { ownParameters } from '../model/model_files.ts';
import { type BufferRecord, waitingAt } from './buffer_state.ts';
import { COUNTERS, type LogPositions, type PartId, STATE_VERSION, type StateFile, vectorsOf } from './capture.ts';
import type { Checkpoint } from './checkpoints.ts';
import { loadBuffer } from './restore_buffer.ts';
import { malformedState, PART_SCHEMAS, requireForm, stateFileSchema } from './state_schema.ts';

type Load = (run: TrainingRun, json: never, tensors: readonly TensorRecord[]) => void;

/** Loads each part as its owner saved it, in this order. */
const LOADS: Readonly<Record<PartId, Load>> = {
  counters({ journal: { state } }, json: Pick<RunState, (typeof COUNTERS)[number]>) {
    const { itemsDrawn, rolloutsDrawn, tokens, deadBatches, seconds } = json;
    Object.assign(state, { itemsDrawn, rolloutsDrawn, tokens, deadBatches, seconds });
  },
  stage: ({ journal: { state } }, { isBegun, unreported }: Pick<RunState, 'isBegun' | 'unreported'>) =>
    Object.assign(state, { isBegun, unreported: unreported && withNumbers(unreported) }),
  evaluations: ({ journal: { state } }, { baseline, final }: Pick<RunState, 'baseline' | 'final'>) =>
    Object.assign(state, { baseline, final }),
  best: ({ journal: { state } }, best: BestEvaluation | null) => Object.assign(state, { best: best ?? undefined }),
  watch: ({ journal: { state } }, watch: Watch) => Object.assign(state, { watch }),
  buffer({ engine, journal: { state } }, record: BufferRecord | null, tensors) {
    state.buffer = record === null ? undefined : loadBuffer(engine, record, tensors);
  },
  queue({ engine, journal: { state } }, records: readonly BufferRecord[], tensors) {
    state.queue = records.map((record, place) => loadBuffer(engine, record, tensors, waitingAt(place)));
  },
  steering({ methods, journal: { state } }, { settings, ...steering }: Steering) {
    const options = methods[state.stageIndex]?.options ?? [];
    state.steering = { ...steering, settings: namedSettings(options, settings) };
  },
  methods({ methods, journal: { state } }, states: Readonly<Record<string, Json>>) {
    const stage = methods[state.stageIndex];
    if (stage === undefined) return;
    try {
      restoreMethods(stage, states);
    } catch (error) {
      if (error instanceof RlvrError) throw error;
      throw malformedState(`methods: ${error instanceof Error ? error.message : String(error)}`); // theirs to read
    }
  },
  ledger: ({ ledger }, state: Json) => ledger.restore(state),
};

const PARTS = Object.keys(LOADS) as readonly PartId[];
/** Absent in older checkpoints, and if nothing waits. */
const NEWER: ReadonlySet<PartId> = new Set(['stage', 'best', 'queue', 'steering', 'methods', 'ledger']);

/** Restores a run from a checkpoint. @throws CheckpointError if it belongs to another model or version */
export function restoreCheckpoint(
  run: TrainingRun,
  checkpoint: Checkpoint,
): { logs: LogPositions; wallSeconds: number } {
  const { wallSeconds, completionsBytes, unwritten, parts } = stateOf(checkpoint);
  requireForms(parts);
  requireStage(run, checkpoint);
  const { policy } = run.engine;
  const { state } = run.journal;
  restoreWeights(policy, checkpoint);
  const length = policy.slots.weights.trainable.shape[0];
  for (const name of vectorsOf(policy)) {
    policy.writeVector(name, tensor(checkpoint.optimizer, name, [length]));
  }
  const { stageIndex, step } = checkpoint;
  Object.assign(state, { stageIndex, step, isBegun: step > 0, unreported: undefined, queue: [] });
  for (const id of PARTS) {
    if (Object.hasOwn(parts, id)) LOADS[id](run, parts[id] as never, checkpoint.optimizer); // as it was saved
  }
  const logs = { metrics: checkpoint.metricsBytes, completions: completionsBytes, ...(unwritten && { unwritten }) };
  return { logs, wallSeconds };
}

/** Metrics as saved: non-finite numbers are strings, as in the log. */
function withNumbers(metrics: StepMetrics): StepMetrics {
  const isNumber = (value: number | string): boolean => /^(NaN|-?Infinity)$/.test(String(value));
  return Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name, isNumber(value) ? Number(value) : value]),
  );
}

/** Checks all parts before any is loaded. @throws CheckpointError `state-malformed` */
function requireForms(parts: StateFile['parts']): void {
  for (const id of PARTS) {
    if (Object.hasOwn(parts, id)) requireForm(PART_SCHEMAS[id], parts[id], id);
    else if (!NEWER.has(id)) throw malformedState(`${id} is missing`);
  }
}

/** @throws CheckpointError `stage-mismatch` where the config has no such stage there */
function requireStage({ config }: Progress, { stage, stageIndex, step }: Checkpoint): void {
  const expected = config.stages[stageIndex]?.stage;
  if (expected === stage) return;
  const actual = expected === undefined ? `has ${config.stages.length} stages` : `has ${expected} there`;
  const message = `checkpoint ${stage}-${step}: it was written in stage ${stageIndex + 1}, ${stage}; this config ${actual}.`;
  throw new CheckpointError('stage-mismatch', `${message} Resume with the config of the run.`);
}

/** The state of a checkpoint, converted from version 2 if need be. @throws CheckpointError for any other version */
function stateOf({ state }: Checkpoint): StateFile {
  const { version } = state;
  if (version === STATE_VERSION || version === 2) {
    const written = version === 2 ? fromVersion2(state) : (state as unknown as StateFile); // its form is checked next
    requireForm(stateFileSchema, written, 'state');
    return written;
  }
  const message =
    `the checkpoint's state has version ${JSON.stringify(version)}; this rlvr-train resumes versions 2 and ${STATE_VERSION}. ` +
    'Use the version that wrote it, which fingerprint.json names; eval, sample and report open it as it is.';
  throw new CheckpointError('state-version', message);
}

/** Version 2 had the fields of all parts side by side. */
function fromVersion2(state: JsonObject): StateFile {
  const { wallSeconds, completionsBytes, baseline, final, watch, buffer, ...counters } = state;
  const evaluations = { baseline: baseline ?? undefined, final: final ?? undefined };
  return {
    version: STATE_VERSION,
    wallSeconds: wallSeconds as number,
    completionsBytes: completionsBytes as number,
    parts: { counters: pickCounters(counters), evaluations, watch, buffer },
  };
}

function pickCounters(fields: JsonObject): JsonObject {
  return Object.fromEntries(COUNTERS.map((name) => [name, fields[name]])) as JsonObject; // version 2 had them all
}

/**
 * Loads a checkpoint's policy, whatever version wrote the rest. @throws CheckpointError if it belongs to another model
 */
export function restoreWeights(policy: Policy, { weights }: Pick<Checkpoint, 'weights'>): void {
  const parameters = ownParameters(policy);
  const tensors = parameters.map(({ name, slot }) => tensor(weights, name, slot.shape)); // all, before any is written
  parameters.forEach((parameter, i) => {
    policy.writeParameter(parameter, tensors[i]);
  });
}

function tensor(records: readonly TensorRecord[], name: string, shape: readonly number[]): TensorRecord['data'] {
  const tensorRecord = records.find((record) => record.name === name);
  const isReal = tensorRecord?.data instanceof Float32Array;
  if (tensorRecord === undefined || tensorRecord.shape.join() !== shape.join() || !isReal) {
    const seen =
      tensorRecord === undefined ? 'is missing' : isReal ? `has shape [${tensorRecord.shape}]` : 'holds whole numbers';
    throw new CheckpointError(
      'tensor-mismatch',
      `checkpoint: tensor ${name} ${seen}, this model needs [${shape}]. It was written for another model config.`,
    );
  }
  return tensorRecord.data;
}
