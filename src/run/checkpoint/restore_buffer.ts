/** Buffered rollouts from a checkpoint: `buffer_state.ts` wrote them. */
import { CheckpointError } from '../../errors.ts';
import type { Engine } from '../../grpo/engine.ts';
import type { Buffer } from '../../grpo/journal.ts';
import { loadGroups, rolloutFlaw } from '../../methods/support/rollouts/load_rollouts.ts';
import type { RolloutRecord } from '../../methods/support/rollouts/save_rollouts.ts';
import type { TensorRecord } from '../../model/safetensors.ts';
import { AT_HAND, type BufferRecord } from './buffer_state.ts';
import { malformedState } from './state_schema.ts';

/**
 * @param owner  prefix of its tensors' names
 * @throws CheckpointError where a tensor is missing or misshapen, or a rollout could not be trained on
 */
export function loadBuffer(
  engine: Pick<Engine, 'tasks' | 'policy'>,
  record: BufferRecord,
  tensors: readonly TensorRecord[],
  owner = AT_HAND,
): Buffer {
  const { stepsTaken, temperature, weightsVersion, observations } = record;
  const dataOf = (what: string) => tensors.find(({ name }) => name === `${owner}.${what}`)?.data;
  const refused = (what: string, rule: string): CheckpointError =>
    new CheckpointError('tensor-mismatch', `checkpoint: tensor ${owner}.${what} ${rule}.`);
  const groups = loadGroups(record.groups, {
    prompt: (item) => engine.tasks.promptTokens(item),
    tensor(name) {
      const data = dataOf(name);
      if (data !== undefined) return data;
      if (name === 'keptLogMass') return keptLogMassOf(record.groups.flatMap(({ rollouts }) => rollouts));
      throw refused(name, 'is missing');
    },
    requireLength(name, length) {
      const seen = dataOf(name)?.length ?? length;
      if (seen !== length) throw refused(name, `has ${seen} numbers, its rollouts have ${length}`);
    },
  });
  requireTrainable(engine, groups);
  return {
    groups,
    stepsTaken,
    ...(temperature !== undefined && { temperature }),
    ...(weightsVersion !== undefined && { weightsVersion }),
    ...(observations !== undefined && { observations }),
  };
}

/** Ids beyond the vocabulary would read past the embedding, and excess length would write past the planned memory. */
function requireTrainable(
  { tasks: { codec }, policy }: Pick<Engine, 'tasks' | 'policy'>,
  groups: Buffer['groups'],
): void {
  const most = policy.capacity.context;
  for (const rollout of groups.flatMap(({ rollouts }) => rollouts)) {
    const flaw = rolloutFlaw(rollout);
    if (flaw !== undefined) throw malformedState(`buffer: ${flaw}`);
    const prompts = [rollout.prompt, rollout.sampledUnder].filter((prompt) => prompt !== undefined);
    for (const ids of [rollout.tokens, ...prompts]) {
      const bad = ids.find((id) => id < 0 || id >= codec.vocabSize);
      if (bad !== undefined) throw malformedState(`buffer: token ${bad} of a vocabulary of ${codec.vocabSize}`);
    }
    const long = prompts.find(({ length }) => length === 0 || length + rollout.tokens.length > most);
    if (long !== undefined) {
      throw malformedState(`buffer: a prompt of ${long.length} tokens where ${most} are the most`);
    }
  }
}

/** [tokens of all members] in older checkpoints, which hold it as JSON. JSON restores a float32 exactly. */
function keptLogMassOf(members: readonly RolloutRecord[]): number[] {
  return members.flatMap(({ length, keptLogMass = {} }) => {
    const byToken = keptLogMass as Readonly<Record<number, number>>; // in the schema's form
    return Array.from({ length }, (_, t) => byToken[t] ?? 0);
  });
}
