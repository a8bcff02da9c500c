/** Buffered rollouts as part of a checkpoint: per-token values as tensors, the rest as JSON. */
import type { Buffer } from '../../grpo/journal.ts';
import { type GroupRecord, saveGroups } from '../../methods/support/rollouts/save_rollouts.ts';
import type { TensorRecord } from '../../model/safetensors.ts';

/** Prefixes of tensor names: for the batch at hand, and for waiting ones. */
export const AT_HAND = 'rollouts';
export const waitingAt = (place: number): string => `queue.${place}`;

/** The JSON of a batch and its groups. */
export type BufferRecord = Omit<Buffer, 'groups'> & { readonly groups: readonly GroupRecord[] };

/** @param owner  prefix of its tensors' names */
export function saveBuffer(
  { groups, ...plain }: Buffer,
  owner = AT_HAND,
): {
  record: BufferRecord;
  tensors: TensorRecord[];
} {
  const { records, tensors } = saveGroups(groups);
  return {
    record: { ...plain, groups: records },
    tensors: [...tensors].map(([name, data]) => ({ name: `${owner}.${name}`, shape: [data.length], data })),
  };
}
