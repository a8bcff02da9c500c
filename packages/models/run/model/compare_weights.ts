/** Weights that were written, against those that they were made of: nothing but what their type rounds off may differ. */
import { CheckpointError } from '../../../../src/errors.ts';
import { GGUF_TYPES } from '../../model/pretrained/gguf_blocks.ts';
import type { GgufEncoder } from '../../model/pretrained/gguf_encoders.ts';
import { allValues, type PretrainedTensor } from '../../model/pretrained/source.ts';
import type { Pretrained } from './pretrained.ts';

type Tensors = ReadonlyMap<string, PretrainedTensor>;

/** How a tensor was written. @property name  in Hugging Face's layout */
export interface WrittenAs {
  readonly name: string;
  readonly encoder: GgufEncoder;
}

/** Largest difference of a weight, and the tensor that has it. */
export interface WeightChange {
  readonly difference: number;
  readonly tensor: string;
}

/** What was written, opened again. */
export interface Exported {
  readonly change: WeightChange;
  /** The model that it is, beside its base where it is an adapter. */
  readonly opened: Pretrained;
  /** File of the store with a graph that says by itself how it is computed. */
  readonly graph?: string;
}

/**
 * @param model  as messages name it
 * @throws CheckpointError `export-differs` where a weight is another than its type makes of it, `too-large` where it is
 *   beyond what the type holds
 */
export async function compareWeights(
  model: string,
  written: readonly WrittenAs[],
  { own, opened }: { readonly own: Tensors; readonly opened: Tensors },
): Promise<WeightChange> {
  let worst: WeightChange = { difference: 0, tensor: '' };
  for (const { name, encoder } of written) {
    const [source, read] = [own.get(name), opened.get(name)];
    if (source === undefined) continue; // made of the shape, which is compared by what reads it
    if (read === undefined) throw differs(model, `tensor ${name} is missing`);
    const difference = await changeOf(model, name, encoder, [await allValues(source), await allValues(read)]);
    if (difference > worst.difference) worst = { difference, tensor: name };
  }
  return worst;
}

async function changeOf(
  model: string,
  tensor: string,
  { type, roundOff }: GgufEncoder,
  [values, written]: readonly [Float32Array, Float32Array],
): Promise<number> {
  const block = GGUF_TYPES.get(type)?.values ?? 1;
  let most = 0;
  for (let first = 0; first < values.length; first += block) {
    let largest = 0;
    for (let i = first; i < first + block; i++) largest = Math.max(largest, Math.abs(values[i] as number));
    for (let i = first; i < first + block; i++) {
      const [value, read] = [values[i] as number, written[i] as number];
      if (!Number.isFinite(read)) {
        const rule = `${value} is beyond what that type holds; use --dtype bf16 or f32`;
        throw new CheckpointError('too-large', `${model}: tensor ${tensor}: ${rule}.`);
      }
      const change = Math.abs(read - value);
      if (change > roundOff(largest)) {
        throw differs(model, `tensor ${tensor} has ${read} at element ${i}, where the model has ${value}`);
      }
      if (change > most) most = change;
    }
  }
  return most;
}

/** What was written is not what was to be. */
export function differs(model: string, what: string): CheckpointError {
  const rule = `what was written is another model: ${what}`;
  return new CheckpointError('export-differs', `${model}: ${rule}. Please report it.`);
}
