/** Buffered rollouts as part of a checkpoint: what is one number per token is a tensor, the rest plain JSON. */
import { CheckpointError } from '../../errors.ts';
import type { Buffer } from '../../grpo/journal.ts';
import type { TrainingRun } from '../../grpo/run.ts';
import type { CreditedGroup, Rollout } from '../../methods/records.ts';
import type { TensorRecord } from '../../model/safetensors.ts';
import { CREDIT_PER_TOKEN, malformedState } from './state_schema.ts';

/** Arrays of a rollout with one number per token, and the names of their tensors. */
const PER_TOKEN = ['tokens', 'logprobs', 'entropies', 'keptLogMass'] as const;

const tensorName = (what: string): string => `rollouts.${what}`;

/** Prompts of a rollout's own. */
const PROMPTS = ['prompt', 'sampledUnder'] as const;

/** Everything about a rollout that is not a tensor. */
interface RolloutRecord
  extends Omit<Rollout, (typeof PER_TOKEN)[number] | (typeof PROMPTS)[number] | 'labels' | 'proximalLogprobs'> {
  readonly length: number;
  /** It has log-probs of the policy before the first step on its batch: a tensor of those that have. */
  readonly hasProximal?: true;
  /** [tokens] of TOKEN, where some were put in. */
  readonly labels?: readonly number[];
  readonly prompt?: readonly number[];
  readonly sampledUnder?: readonly number[];
  /** Token by token, where it was written before there was a tensor of it. */
  readonly keptLogMass?: Readonly<Record<number, number>>;
}

interface GroupRecord extends Pick<CreditedGroup, 'item' | 'dead' | 'ruledOut' | 'greedyReward' | 'kind'> {
  readonly rollouts: readonly RolloutRecord[];
  /** Which credit it has per token. */
  readonly perToken?: readonly (typeof CREDIT_PER_TOKEN)[number][];
}

export interface BufferRecord {
  readonly stepsTaken: number;
  readonly temperature?: number;
  readonly groups: readonly GroupRecord[];
}

export function saveBuffer({ groups, stepsTaken, temperature }: Buffer): {
  record: BufferRecord;
  tensors: TensorRecord[];
} {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const record: BufferRecord = {
    stepsTaken,
    ...(temperature !== undefined && { temperature }),
    groups: groups.map(({ item, dead, rollouts: members, ruledOut, greedyReward, kind, ...group }) => {
      const perToken = CREDIT_PER_TOKEN.filter((name) => group[name] !== undefined);
      return {
        item,
        dead,
        ...(ruledOut && { ruledOut }),
        ...(greedyReward !== undefined && { greedyReward }),
        ...(kind !== undefined && { kind }),
        rollouts: members.map(withoutTensors),
        ...(perToken.length > 0 && { perToken }),
      };
    }),
  };
  const credit = CREDIT_PER_TOKEN.flatMap((name) => {
    const parts = groups.flatMap((group) => group[name] ?? []);
    return parts.length === 0 ? [] : [joined(name, parts)];
  });
  const proximal = rollouts.flatMap(({ proximalLogprobs }) => proximalLogprobs ?? []);
  const tensors = [
    ...PER_TOKEN.map((name) =>
      joined(
        name,
        rollouts.map((rollout) => rollout[name]),
      ),
    ),
    joined(
      'advantages',
      groups.map((group) => group.advantages),
    ),
    ...credit,
    ...(proximal.length > 0 ? [joined('proximalLogprobs', proximal)] : []),
  ];
  return { record, tensors };
}

function withoutTensors(rollout: Rollout): RolloutRecord {
  const { tokens, logprobs: _, entropies: __, keptLogMass: ___, ...others } = rollout;
  const { labels, prompt, sampledUnder, proximalLogprobs, ...rest } = others;
  return {
    ...rest,
    length: tokens.length,
    ...(proximalLogprobs && { hasProximal: true }),
    ...(labels && { labels: [...labels] }),
    ...(prompt && { prompt: [...prompt] }),
    ...(sampledUnder && { sampledUnder: [...sampledUnder] }),
  };
}

function joined(what: string, parts: readonly (Float32Array | Int32Array)[]): TensorRecord {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const data = parts[0] instanceof Int32Array ? new Int32Array(length) : new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    data.set(part, at);
    at += part.length;
  }
  return { name: tensorName(what), shape: [length], data };
}

/** @throws CheckpointError where a tensor is missing or misshapen */
export function loadBuffer(run: TrainingRun, record: BufferRecord, tensors: readonly TensorRecord[]): Buffer {
  const members = record.groups.flatMap((group) => group.rollouts);
  const total = members.reduce((sum, { length }) => sum + length, 0);
  requireLabels(members);
  const ids = Int32Array.from(find(tensors, 'tokens', total));
  requireVocabulary(ids, run.engine.tasks.codec.vocabSize);
  requirePrompts(members, run);
  const tokens = new Cutter(ids);
  const reals = (what: string, length: number) => new Cutter(Float32Array.from(find(tensors, what, length)));
  const logprobs = reals('logprobs', total);
  const entropies = reals('entropies', total);
  const isOlder = !tensors.some(({ name }) => name === tensorName('keptLogMass'));
  const keptLogMass = isOlder ? new Cutter(keptLogMassOf(members)) : reals('keptLogMass', total);
  const withProximal = members.reduce((sum, { length, hasProximal }) => sum + (hasProximal ? length : 0), 0);
  const proximal = withProximal > 0 ? reals('proximalLogprobs', withProximal) : undefined;
  const advantages = reals('advantages', members.length);
  const credit = new Map(
    CREDIT_PER_TOKEN.map((name) => {
      const owners = record.groups.filter(({ perToken }) => perToken?.includes(name));
      const length = owners.flatMap(({ rollouts }) => rollouts).reduce((sum, rollout) => sum + rollout.length, 0);
      return [name, owners.length === 0 ? undefined : reals(name, length)] as const;
    }),
  );
  const groups = record.groups.map(
    ({ rollouts, perToken = [], ...rest }): CreditedGroup => ({
      ...rest,
      prompt: run.engine.tasks.promptTokens(rest.item),
      rollouts: rollouts.map(
        ({ length, labels, prompt, sampledUnder, hasProximal, ...rest }): Rollout => ({
          ...rest,
          ...(hasProximal && { proximalLogprobs: (proximal as Cutter<Float32Array>).next(length) }),
          ...(labels && { labels: Uint8Array.from(labels) }),
          ...(prompt && { prompt: Int32Array.from(prompt) }),
          ...(sampledUnder && { sampledUnder: Int32Array.from(sampledUnder) }),
          tokens: tokens.next(length),
          logprobs: logprobs.next(length),
          entropies: entropies.next(length),
          keptLogMass: keptLogMass.next(length),
        }),
      ),
      advantages: advantages.next(rollouts.length),
      ...Object.fromEntries(
        perToken.map((name) => [name, rollouts.map(({ length }) => credit.get(name)?.next(length))]),
      ),
    }),
  );
  const { stepsTaken, temperature } = record;
  return { groups, stepsTaken, ...(temperature !== undefined && { temperature }) };
}

/** Ids beyond the vocabulary would be read from beyond the embedding. */
function requireVocabulary(ids: Int32Array, vocabSize: number): void {
  const bad = ids.find((id) => id < 0 || id >= vocabSize);
  if (bad !== undefined) throw malformedState(`buffer: token ${bad} of a vocabulary of ${vocabSize}`);
}

/** Longer ones than were planned would be written beyond their memory. */
function requirePrompts(members: readonly RolloutRecord[], { engine: { tasks, policy } }: TrainingRun): void {
  for (const member of members) {
    for (const prompt of PROMPTS.flatMap((name) => (member[name] === undefined ? [] : [member[name]]))) {
      requireVocabulary(Int32Array.from(prompt), tasks.codec.vocabSize);
      const length = prompt.length + member.length;
      if (prompt.length > 0 && length <= policy.capacity.context) continue;
      throw malformedState(`buffer: a prompt of ${prompt.length} tokens where ${policy.capacity.context} are the most`);
    }
  }
}

function requireLabels(members: readonly RolloutRecord[]): void {
  const bad = members.find(({ labels, length }) => labels !== undefined && labels.length !== length);
  if (bad) throw malformedState(`buffer: a rollout of ${bad.length} tokens has ${bad.labels?.length} labels`);
}

/** Hands out consecutive parts of an array, as copies. */
class Cutter<A extends Float32Array | Int32Array> {
  readonly #all: A;
  #at = 0;

  constructor(all: A) {
    this.#all = all;
  }

  next(length: number): A {
    const begin = this.#at;
    this.#at += length;
    return this.#all.slice(begin, this.#at) as A; // slice keeps the kind of array
  }
}

function find(tensors: readonly TensorRecord[], what: string, length: number): TensorRecord['data'] {
  const name = tensorName(what);
  const found = tensors.find((tensor) => tensor.name === name);
  if (found?.data.length === length) return found.data;
  const seen = found === undefined ? 'is missing' : `has ${found.data.length} numbers`;
  throw new CheckpointError('tensor-mismatch', `checkpoint: tensor ${name} ${seen}, its rollouts have ${length}.`);
}

/** [tokens of all members] as an older checkpoint holds it. JSON gives a float32 back exactly. */
function keptLogMassOf(members: readonly RolloutRecord[]): Float32Array {
  return Float32Array.from(
    members.flatMap(({ length, keptLogMass = {} }) => Array.from({ length }, (_, t) => keptLogMass[t] ?? 0)),
  );
}
