/** Buffered rollouts as part of a checkpoint: what is one number per token is a tensor, the rest plain JSON. */
import type { Buffer } from '../../grpo/journal.ts';
import { type GroupRecord, saveGroups } from '../../methods/support/rollouts/save_rollouts.ts';
import type { TensorRecord } from '../../model/safetensors.ts';

export const tensorName = (what: string): string => `rollouts.${what}`;

export interface BufferRecord {
  readonly stepsTaken: number;
  readonly temperature?: number;
  readonly groups: readonly GroupRecord[];
}

export function saveBuffer({ groups, stepsTaken, temperature }: Buffer): {
  record: BufferRecord;
  tensors: TensorRecord[];
} {
  const { records, tensors } = saveGroups(groups);
  return {
    record: { stepsTaken, ...(temperature !== undefined && { temperature }), groups: records },
    tensors: [...tensors].map(([name, data]) => ({ name: tensorName(name), shape: [data.length], data })),
  };
}
