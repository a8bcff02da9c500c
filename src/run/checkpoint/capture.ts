/**
 * Captures a run as a checkpoint: what a resume needs, and nothing else. `restore.ts` is the inverse.
 *
 * Each part of a run saves its own state, JSON under its id and tensors by name, which is opaque here.
 */
import type { TrainingRun } from '../../grpo/run.ts';
import { stageOf } from '../../grpo/run.ts';
import { methodStates } from '../../methods/part_states.ts';
import type { Policy, TrainedVector } from '../../model/policy.ts';
import type { TensorRecord } from '../../model/safetensors.ts';
import { encodeLogJson, type JsonObject } from '../json.ts';
import { readWeights } from '../model/model_files.ts';
import { saveBuffer, waitingAt } from './buffer_state.ts';
import type { Checkpoint } from './checkpoints.ts';

/** Raised when the meaning of a part changes. */
export const STATE_VERSION = 3;

/** Lengths of the logs: a resumed run writes the lines after these bytes again. */
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

/** What one part of a run saves: plain values, without undefined ones, and tensors. */
interface SavedPart {
  readonly json: unknown;
  readonly tensors?: readonly TensorRecord[];
}

/** Numbers of the run's state that only ever grow. */
export const COUNTERS = ['itemsDrawn', 'rolloutsDrawn', 'tokens', 'deadBatches', 'seconds'] as const;

/** By part id, in writing order. */
const SAVES = {
  counters: ({ journal: { state } }) => ({ json: Object.fromEntries(COUNTERS.map((name) => [name, state[name]])) }),
  stage: ({ journal: { state } }) => ({
    json: { isBegun: state.isBegun, unreported: state.unreported && JSON.parse(encodeLogJson(state.unreported)) },
  }),
  evaluations: ({ journal }) => ({ json: { baseline: journal.state.baseline, final: journal.state.final } }),
  best: ({ journal }) => ({ json: journal.state.best ?? null }),
  watch: ({ journal }) => ({ json: journal.state.watch }),
  buffer({ journal }) {
    const { buffer } = journal.state;
    if (buffer === undefined) return { json: null };
    const { record, tensors } = saveBuffer(buffer);
    return { json: record, tensors };
  },
  queue({ journal }) {
    const saved = journal.state.queue.map((waiting, place) => saveBuffer(waiting, waitingAt(place)));
    const records = saved.map(({ record }) => record);
    return { json: records.length > 0 ? records : undefined, tensors: saved.flatMap(({ tensors }) => tensors) };
  },
  steering: ({ journal }) => ({ json: journal.state.steering }),
  methods({ methods, journal }) {
    const stage = methods[journal.state.stageIndex];
    return { json: stage === undefined ? {} : methodStates(stage) };
  },
  ledger: ({ ledger }) => ({ json: ledger.state() }),
} as const satisfies Readonly<Record<string, (run: TrainingRun) => SavedPart>>;

export type PartId = keyof typeof SAVES;

/** `state.json` of a checkpoint. */
export interface StateFile {
  readonly version: number;
  readonly wallSeconds: number;
  readonly completionsBytes: number;
  readonly unwritten?: UnwrittenLines | undefined;
  readonly parts: Readonly<Record<string, unknown>>;
}

/** Vectors beside the weights that decide how the run continues. */
export function vectorsOf({ slots }: Policy): TrainedVector[] {
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
  for (const vectorName of vectorsOf(policy)) vectors.push(await vector(vectorName));
  const saved = Object.entries(SAVES).map(([id, save]): SavedPart & { readonly id: string } => ({ id, ...save(run) }));
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
