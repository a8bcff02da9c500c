/** Weights on their way into a policy: what is no number is refused before it is stored in fewer bits, where it would be one. */
import { expect, it } from 'vitest';
import { CheckpointError } from '../../../../../src/errors.ts';
import { STORAGE, type Storage } from '../../../../../src/kernels/storage.ts';
import { refusalOf } from '../../../../../test/support/refusals.ts';
import { loadPretrained } from '../../../model/pretrained/load_weights.ts';
import type { PretrainedModel } from '../../../model/pretrained/source.ts';

const STORAGES = Object.keys(STORAGE).filter((storage) => storage !== 'i32') as Exclude<Storage, 'i32'>[];

it.each(STORAGES)('a weight that is not a number is refused where matrices are kept as %s', async (storage) => {
  const values = new Float32Array(64).fill(0.5);
  values[37] = Number.NaN;
  const shape = [2, 32];
  const read = async (take: (values: Float32Array, at: number) => void): Promise<void> => take(values, 0);
  const tensors = new Map([['weight', { file: 'model.safetensors', shape, read }]]);
  const model = { shape: { tieWordEmbeddings: false }, tensors } as unknown as PretrainedModel;
  const parameters = [{ name: 'weight', storage, slot: { shape } }];
  const written: unknown[] = [];
  const policy = { parameters, writeParameter: (...args: unknown[]) => written.push(args) };
  const load = loadPretrained(model, policy as unknown as Parameters<typeof loadPretrained>[1]);
  expect((await refusalOf(CheckpointError, load)).message).toContain('tensor weight holds NaN at element 37');
  expect(written).toEqual([]);
});
