/** A run's position and vectors as a checkpoint, and back: what a resume needs, and nothing else. */

import type { TaskItem } from '../data/task.ts';
import type { Watch } from '../diagnostics/watch.ts';
import { CheckpointError } from '../errors.ts';
import type { Buffer, Position, TrainingRun } from '../grpo/run.ts';
import { stageOf } from '../grpo/run.ts';
import type { CreditedGroup, Evaluation, Rollout, Seconds } from '../methods/records.ts';
import { namedTensors, type Policy } from '../model/policy.ts';
import type { TensorRecord } from '../model/safetensors.ts';
import type { Checkpoint } from './checkpoints.ts';
import type { JsonObject } from './json.ts';

/** Raised when the meaning of a field changes. */
const STATE_VERSION = 2;

const KEPT_LOG_MASS = 'rollouts.keptLogMass';

/** Where the logs stood: lines behind these bytes are written again by a resumed run. */
export interface LogPositions {
  readonly metrics: number;
  readonly completions: number;
}

/** Everything about a rollout that is not a tensor. */
interface RolloutRecord extends Omit<Rollout, 'tokens' | 'logprobs' | 'entropies' | 'keptLogMass'> {
  readonly length: number;
  /** Token by token, where it was written before there was a tensor of it. */
  readonly keptLogMass?: Readonly<Record<number, number>>;
}

interface GroupRecord {
  readonly item: TaskItem;
  readonly dead: boolean;
  readonly rollouts: readonly RolloutRecord[];
}

interface State {
  readonly version: number;
  readonly itemsDrawn: number;
  readonly rolloutsDrawn: number;
  readonly tokens: number;
  readonly deadBatches: number;
  readonly baseline: Evaluation | null;
  readonly final: Evaluation | null;
  readonly seconds: Seconds;
  readonly watch: Watch;
  readonly wallSeconds: number;
  readonly completionsBytes: number;
  readonly buffer: { readonly stepsTaken: number; readonly groups: readonly GroupRecord[] } | null;
}

/** Copies everything out of the engine; the run may go on as soon as this resolves. */
export async function captureCheckpoint(
  run: TrainingRun,
  logs: LogPositions,
  wallSeconds: number,
): Promise<Checkpoint> {
  const { policy, position } = run;
  const vector = async (which: 'firstMoment' | 'secondMoment' | 'reference'): Promise<TensorRecord> => {
    const data = await policy.readVector(which);
    return { name: which, shape: [data.length], data };
  };
  const buffer = position.buffer && bufferRecord(position.buffer);
  const state: State = {
    version: STATE_VERSION,
    itemsDrawn: position.itemsDrawn,
    rolloutsDrawn: position.rolloutsDrawn,
    tokens: position.tokens,
    deadBatches: position.deadBatches,
    baseline: position.baseline ?? null,
    final: position.final ?? null,
    seconds: position.seconds,
    watch: position.watch,
    wallSeconds,
    completionsBytes: logs.completions,
    buffer: buffer?.record ?? null,
  };
  return {
    stage: stageOf(run).stage,
    stageIndex: position.stageIndex,
    step: position.step,
    weights: namedTensors(policy.parameters, await policy.readVector('weights')),
    optimizer: [
      await vector('firstMoment'),
      await vector('secondMoment'),
      ...(policy.slots.reference ? [await vector('reference')] : []),
      ...(buffer?.tensors ?? []),
    ],
    // Only plain values of the types above reach it; undefined fields vanish in the round trip.
    state: JSON.parse(JSON.stringify(state)) as JsonObject,
    metricsBytes: logs.metrics,
  };
}

/** Puts a run where a checkpoint was taken. @throws CheckpointError where it belongs to another model or version */
export function restoreCheckpoint(
  run: TrainingRun,
  checkpoint: Checkpoint,
): { logs: LogPositions; wallSeconds: number } {
  const state = checkpoint.state as unknown as State; // written by captureCheckpoint; hashes have been verified
  if (state.version !== STATE_VERSION) {
    const message = `the checkpoint's state has version ${state.version}; this rlvr-train reads version ${STATE_VERSION}. Use the version that wrote it.`;
    throw new CheckpointError('state-version', message);
  }
  const { policy, position } = run;
  restoreWeights(policy, checkpoint);
  const length = policy.slots.weights.all.shape[0];
  policy.writeVector('firstMoment', tensor(checkpoint.optimizer, 'firstMoment', [length]));
  policy.writeVector('secondMoment', tensor(checkpoint.optimizer, 'secondMoment', [length]));
  if (policy.slots.reference) policy.writeVector('reference', tensor(checkpoint.optimizer, 'reference', [length]));
  const restored: Position = {
    stageIndex: checkpoint.stageIndex,
    step: checkpoint.step,
    itemsDrawn: state.itemsDrawn,
    rolloutsDrawn: state.rolloutsDrawn,
    tokens: state.tokens,
    deadBatches: state.deadBatches,
    baseline: state.baseline ?? undefined,
    final: state.final ?? undefined,
    seconds: { ...state.seconds },
    watch: state.watch,
    buffer: state.buffer ? restoreBuffer(run, state.buffer, checkpoint.optimizer) : undefined,
  };
  Object.assign(position, restored);
  return {
    logs: { metrics: checkpoint.metricsBytes, completions: state.completionsBytes },
    wallSeconds: state.wallSeconds,
  };
}

/** The policy of a checkpoint, whatever version wrote the rest. @throws CheckpointError where it is of another model */
export function restoreWeights(policy: Policy, { weights }: Pick<Checkpoint, 'weights'>): void {
  const flat = new Float32Array(policy.slots.weights.all.shape[0]);
  for (const { name, slot } of policy.parameters) flat.set(tensor(weights, name, slot.shape), slot.offset);
  policy.writeWeights(flat);
}

function tensor(
  records: readonly TensorRecord[],
  name: string,
  shape: readonly number[],
): Float32Array | Int32Array | Uint32Array {
  const found = records.find((record) => record.name === name);
  if (found === undefined || found.shape.join() !== shape.join()) {
    const seen = found === undefined ? 'is missing' : `has shape [${found.shape}]`;
    throw new CheckpointError(
      'tensor-mismatch',
      `checkpoint: tensor ${name} ${seen}, this model needs [${shape}]. It was written for another model config.`,
    );
  }
  return found.data;
}

function bufferRecord({ groups, stepsTaken }: Buffer): { record: State['buffer']; tensors: TensorRecord[] } {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const join = <T extends Float32Array | Int32Array>(name: string, parts: readonly T[], out: T): TensorRecord => {
    let at = 0;
    for (const part of parts) {
      out.set(part, at);
      at += part.length;
    }
    return { name, shape: [out.length], data: out };
  };
  const tokens = rollouts.reduce((sum, rollout) => sum + rollout.tokens.length, 0);
  return {
    record: {
      stepsTaken,
      groups: groups.map(({ item, dead, rollouts: members }) => ({
        item,
        dead,
        rollouts: members.map(({ tokens: { length }, logprobs: _, entropies: __, keptLogMass: ___, ...rest }) => ({
          ...rest,
          length,
        })),
      })),
    },
    tensors: [
      join(
        'rollouts.tokens',
        rollouts.map((rollout) => rollout.tokens),
        new Int32Array(tokens),
      ),
      join(
        'rollouts.logprobs',
        rollouts.map((rollout) => rollout.logprobs),
        new Float32Array(tokens),
      ),
      join(
        'rollouts.entropies',
        rollouts.map((rollout) => rollout.entropies),
        new Float32Array(tokens),
      ),
      join(
        KEPT_LOG_MASS,
        rollouts.map((rollout) => rollout.keptLogMass),
        new Float32Array(tokens),
      ),
      join(
        'rollouts.advantages',
        groups.map((group) => group.advantages),
        new Float32Array(rollouts.length),
      ),
    ],
  };
}

function restoreBuffer(
  run: TrainingRun,
  record: NonNullable<State['buffer']>,
  tensors: readonly TensorRecord[],
): Buffer {
  const members = record.groups.flatMap((group) => group.rollouts);
  const total = members.reduce((sum, { length }) => sum + length, 0);
  const tokens = Int32Array.from(tensor(tensors, 'rollouts.tokens', [total]));
  const logprobs = Float32Array.from(tensor(tensors, 'rollouts.logprobs', [total]));
  const entropies = Float32Array.from(tensor(tensors, 'rollouts.entropies', [total]));
  const keptLogMass = tensors.some(({ name }) => name === KEPT_LOG_MASS)
    ? Float32Array.from(tensor(tensors, KEPT_LOG_MASS, [total]))
    : keptLogMassOf(members);
  const advantages = Float32Array.from(tensor(tensors, 'rollouts.advantages', [members.length]));
  let token = 0;
  let rollout = 0;
  const groups = record.groups.map(({ item, dead, rollouts }): CreditedGroup => {
    const first = rollout;
    const restored = rollouts.map(({ length, ...rest }): Rollout => {
      const [begin, end] = [token, token + length];
      token = end;
      rollout++;
      return {
        ...rest,
        tokens: tokens.slice(begin, end),
        logprobs: logprobs.slice(begin, end),
        entropies: entropies.slice(begin, end),
        keptLogMass: keptLogMass.slice(begin, end),
      };
    });
    return {
      item,
      dead,
      prompt: run.task.promptTokens(item),
      rollouts: restored,
      advantages: advantages.slice(first, rollout),
    };
  });
  return { groups, stepsTaken: record.stepsTaken };
}

/** [tokens of all members] as an older checkpoint holds it. JSON gives a float32 back exactly. */
function keptLogMassOf(members: readonly RolloutRecord[]): Float32Array {
  return Float32Array.from(
    members.flatMap(({ length, keptLogMass = {} }) => Array.from({ length }, (_, t) => keptLogMass[t] ?? 0)),
  );
}
