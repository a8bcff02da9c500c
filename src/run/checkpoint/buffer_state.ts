/** Buffered rollouts as part of a checkpoint: what is one number per token is a tensor, the rest plain JSON. */
import type { Buffer } from '../../grpo/journal.ts';
import { type GroupRecord, saveGroups } from '../../methods/support/rollouts/save_rollouts.ts';
import type { TensorRecord } from '../../model/safetensors.ts';

/** What the names of its tensors begin with: of the batch at hand, and of those that wait. */
export const AT_HAND = 'rollouts';
export const waitingAt = (place: number): string => `queue.${place}`;

/** What is plain in a batch, and its groups. */
export type BufferRecord = Omit<Buffer, 'groups'> & { readonly groups: readonly GroupRecord[] };

/** @param owner  what the names of its tensors begin with */
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
