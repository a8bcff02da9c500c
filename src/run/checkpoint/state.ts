/**
 * A run as a checkpoint, and back: what a resume needs, and nothing else.
 *
 * Each part of a run keeps its own state, JSON under its id and tensors by name; nothing here knows what is in one.
 */
import type { Watch } from '../../diagnostics/watch.ts';
import { CheckpointError, RlvrError } from '../../errors.ts';
import type { BestEvaluation } from '../../grpo/best_evaluation.ts';
import type { RunState, Steering } from '../../grpo/journal.ts';
import type { Progress, TrainingRun } from '../../grpo/run.ts';
import { stageOf } from '../../grpo/run.ts';
import { methodStates, restoreMethods } from '../../methods/part_states.ts';
import { namedSettings } from '../../methods/settings.ts';
import type { Policy, TrainedVector } from '../../model/policy.ts';
import type { TensorRecord } from '../../model/safetensors.ts';
import type { Json } from '../../options/json.ts';
import type { JsonObject } from '../json.ts';
import { ownParameters, readWeights } from '../model/model_files.ts';
import { type BufferRecord, loadBuffer, saveBuffer } from './buffer_state.ts';
import type { Checkpoint } from './checkpoints.ts';
import { malformedState, PART_SCHEMAS, type PartId, requireForm, stateFileSchema } from './state_schema.ts';

/** Raised when the meaning of a part changes. */
const STATE_VERSION = 3;

/** Lengths of the logs: lines after these bytes are written again by a resumed run. */
export interface LogPositions {
  readonly metrics: number;
  readonly completions: number;
  /** Lines after these bytes that a disk refused. */
  readonly unwritten?: UnwrittenLines;
}

export interface UnwrittenLines {
  readonly metrics: readonly string[];
  readonly completions: readonly string[];
}

/** What one part of a run leaves in a checkpoint. */
interface StatePart {
  readonly id: PartId;
  /** Absent in checkpoints of before there was such a part. */
  readonly isNewer?: true;
  /** Plain values; fields that are undefined vanish. */
  save(run: TrainingRun): { readonly json: unknown; readonly tensors?: readonly TensorRecord[] };
  load(run: TrainingRun, json: never, tensors: readonly TensorRecord[]): void;
}

/** Numbers of the run's state that only ever grow. */
const COUNTERS = ['itemsDrawn', 'rolloutsDrawn', 'tokens', 'deadBatches', 'seconds'] as const;

const PARTS: readonly StatePart[] = [
  {
    id: 'counters',
    save: ({ journal: { state } }) => ({ json: Object.fromEntries(COUNTERS.map((name) => [name, state[name]])) }),
    load({ journal: { state } }, json: Pick<RunState, (typeof COUNTERS)[number]>) {
      const { itemsDrawn, rolloutsDrawn, tokens, deadBatches, seconds } = json;
      Object.assign(state, { itemsDrawn, rolloutsDrawn, tokens, deadBatches, seconds });
    },
  },
  {
    id: 'evaluations',
    save: ({
      journal: {
        state: { baseline, final },
      },
    }) => ({ json: { baseline, final } }),
    load: ({ journal: { state } }, { baseline, final }: Pick<RunState, 'baseline' | 'final'>) =>
      Object.assign(state, { baseline, final }),
  },
  {
    id: 'best',
    isNewer: true,
    save: ({
      journal: {
        state: { best },
      },
    }) => ({ json: best ?? null }),
    load: ({ journal: { state } }, best: BestEvaluation | null) => Object.assign(state, { best: best ?? undefined }),
  },
  {
    id: 'watch',
    save: ({
      journal: {
        state: { watch },
      },
    }) => ({ json: watch }),
    load: ({ journal: { state } }, watch: Watch) => Object.assign(state, { watch }),
  },
  {
    id: 'buffer',
    save({
      journal: {
        state: { buffer },
      },
    }) {
      if (buffer === undefined) return { json: null };
      const { record, tensors } = saveBuffer(buffer);
      return { json: record, tensors };
    },
    load(run, record: BufferRecord | null, tensors) {
      run.journal.state.buffer = record === null ? undefined : loadBuffer(run.engine, record, tensors);
    },
  },
  {
    id: 'steering',
    isNewer: true,
    save: ({ journal }) => ({ json: journal.state.steering }),
    load({ methods, journal: { state } }, { settings, ...steering }: Steering) {
      const options = methods[state.stageIndex]?.options ?? [];
      state.steering = { ...steering, settings: namedSettings(options, settings) };
    },
  },
  {
    id: 'methods',
    isNewer: true,
    save({
      methods,
      journal: {
        state: { stageIndex },
      },
    }) {
      const stage = methods[stageIndex];
      return { json: stage === undefined ? {} : methodStates(stage) };
    },
    load(
      {
        methods,
        journal: {
          state: { stageIndex },
        },
      },
      states: Readonly<Record<string, Json>>,
    ) {
      const stage = methods[stageIndex];
      if (stage === undefined) return;
      try {
        restoreMethods(stage, states);
      } catch (error) {
        if (error instanceof RlvrError) throw error;
        throw malformedState(`methods: ${error instanceof Error ? error.message : String(error)}`); // theirs to read
      }
    },
  },
  {
    id: 'ledger',
    isNewer: true,
    save: ({ ledger }) => ({ json: ledger.state() }),
    load: ({ ledger }, state: Json) => ledger.restore(state),
  },
];

/** `state.json` of a checkpoint. */
interface StateFile {
  readonly version: number;
  readonly wallSeconds: number;
  readonly completionsBytes: number;
  readonly unwritten?: UnwrittenLines | undefined;
  readonly parts: Readonly<Record<string, unknown>>;
}

/** Vectors beside the weights that decide how the run continues. */
function vectorsOf({ slots }: Policy): TrainedVector[] {
  return ['firstMoment', 'secondMoment', ...slots.sets.keys()];
}

/** Copies everything out of the engine; the run may continue as soon as this resolves. */
export async function captureCheckpoint(
  run: TrainingRun,
  logs: LogPositions,
  wallSeconds: number,
): Promise<Checkpoint> {
  const { policy } = run.engine;
  const { stageIndex, step } = run.journal.state;
  const vector = async (which: TrainedVector): Promise<TensorRecord> => {
    const data = await policy.readVector(which);
    return { name: which, shape: [data.length], data };
  };
  const vectors: TensorRecord[] = [];
  for (const which of vectorsOf(policy)) vectors.push(await vector(which));
  const saved = PARTS.map((part) => ({ id: part.id, ...part.save(run) }));
  const parts = Object.fromEntries(saved.map(({ id, json }) => [id, json]));
  const { completions: completionsBytes, unwritten } = logs;
  const written: StateFile = { version: STATE_VERSION, wallSeconds, completionsBytes, unwritten, parts };
  return {
    stage: stageOf(run).stage,
    stageIndex,
    step,
    weights: await readWeights(policy),
    optimizer: [...vectors, ...saved.flatMap(({ tensors = [] }) => tensors)],
    state: JSON.parse(JSON.stringify(written)) as JsonObject, // plain values, by the contract of the parts
    metricsBytes: logs.metrics,
  };
}

/** Puts a run where a checkpoint was taken. @throws CheckpointError where it belongs to another model or version */
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
  Object.assign(state, { stageIndex: checkpoint.stageIndex, step: checkpoint.step });
  for (const part of PARTS) {
    if (Object.hasOwn(parts, part.id)) part.load(run, parts[part.id] as never, checkpoint.optimizer); // as it saved it
  }
  const logs = { metrics: checkpoint.metricsBytes, completions: completionsBytes, ...(unwritten && { unwritten }) };
  return { logs, wallSeconds };
}

/** All parts before any is loaded. @throws CheckpointError `state-malformed` */
function requireForms(parts: StateFile['parts']): void {
  for (const { id, isNewer } of PARTS) {
    if (Object.hasOwn(parts, id)) requireForm(PART_SCHEMAS[id], parts[id], id);
    else if (isNewer === undefined) throw malformedState(`${id} is missing`);
  }
}

/** @throws CheckpointError `stage-mismatch` where the config has no such stage there */
function requireStage({ config }: Progress, { stage, stageIndex, step }: Checkpoint): void {
  const expected = config.stages[stageIndex]?.stage;
  if (expected === stage) return;
  const found = expected === undefined ? `has ${config.stages.length} stages` : `has ${expected} there`;
  const message = `checkpoint ${stage}-${step}: it was written in stage ${stageIndex + 1}, ${stage}; this config ${found}.`;
  throw new CheckpointError('stage-mismatch', `${message} Resume with the config of the run.`);
}

/** The state of a checkpoint; the form of the version before is brought up to date. @throws CheckpointError for any other */
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

/** The policy of a checkpoint, whatever version wrote the rest. @throws CheckpointError where it is of another model */
export function restoreWeights(policy: Policy, { weights }: Pick<Checkpoint, 'weights'>): void {
  const parameters = ownParameters(policy);
  const tensors = parameters.map(({ name, slot }) => tensor(weights, name, slot.shape)); // all, before any is written
  parameters.forEach((parameter, i) => {
    policy.writeParameter(parameter, tensors[i]);
  });
}

function tensor(records: readonly TensorRecord[], name: string, shape: readonly number[]): TensorRecord['data'] {
  const found = records.find((record) => record.name === name);
  const isReal = found?.data instanceof Float32Array;
  if (found === undefined || found.shape.join() !== shape.join() || !isReal) {
    const seen = found === undefined ? 'is missing' : isReal ? `has shape [${found.shape}]` : 'holds whole numbers';
    throw new CheckpointError(
      'tensor-mismatch',
      `checkpoint: tensor ${name} ${seen}, this model needs [${shape}]. It was written for another model config.`,
    );
  }
  return found.data;
}
