/**
 * A model with its adapter added to its weights: W' = W + scale·B·A, summed in float64 and rounded to float32 once.
 *
 * Tensors are merged as they are read, a piece at a time: beside A and B of one module nothing is held. Where the adapter has
 * magnitudes, each row is then scaled to its own, and a row is held besides.
 */

import { MAGNITUDE } from '../../../../src/model/adapter.ts';
import { adapterScale } from '../../../../src/model/adapter_config.ts';
import { type Adapter, requireFit } from './adapter_files.ts';
import { allValues, type PretrainedModel, type PretrainedTensor, type TakeValues } from './source.ts';

/** @throws CheckpointError `adapter-misfit` where the adapter belongs to another model */
export function mergedModel(base: PretrainedModel, adapter: Adapter): PretrainedModel {
  requireFit(adapter, base);
  const scale = adapterScale(adapter.config);
  const tensors = [...base.tensors].map(([name, tensor]): [string, PretrainedTensor] => {
    const module = name.replace(/\.weight$/, '');
    const [a, b] = [adapter.tensors.get(`${module}.lora_A.weight`), adapter.tensors.get(`${module}.lora_B.weight`)];
    if (a === undefined || b === undefined) return [name, tensor];
    const magnitude = adapter.tensors.get(`${module}.${MAGNITUDE}`);
    const read = (take: TakeValues): Promise<void> => readMerged({ weight: tensor, a, b, magnitude, scale }, take);
    return [name, { ...tensor, read, stored: undefined }];
  });
  return { ...base, tensors: new Map(tensors) };
}

interface MergedModule {
  /** [out, in] */
  readonly weight: PretrainedTensor;
  /** [r, in] */
  readonly a: PretrainedTensor;
  /** [out, r] */
  readonly b: PretrainedTensor;
  /** [out] */
  readonly magnitude: PretrainedTensor | undefined;
  readonly scale: number;
}

async function readMerged({ weight, a, b, magnitude, scale }: MergedModule, take: TakeValues): Promise<void> {
  const [rank, inputs] = a.shape;
  const [down, up] = [await allValues(a), await allValues(b)];
  const norms = magnitude && (await allValues(magnitude));
  const row = new Float64Array(inputs);
  let rowIndex = -1;
  await weight.read((values, at) => {
    const merged = new Float32Array(values.length);
    for (let i = 0; i < values.length; i++) {
      const output = Math.floor((at + i) / inputs);
      if (output !== rowIndex) {
        rowIndex = output;
        row.fill(0);
        for (let k = 0; k < rank; k++) {
          const factor = up[output * rank + k];
          for (let input = 0; input < inputs; input++) row[input] += factor * down[k * inputs + input];
        }
      }
      const input = at + i - output * inputs;
      const value = values[i] + scale * row[input];
      if (norms === undefined) merged[i] = value;
      else {
        row[input] = value; // its change is read once
        if (input === inputs - 1) take(scaledTo(norms[output], row), output * inputs);
      }
    }
    if (norms === undefined) take(merged, at);
  });
}

/** A row of that norm, rounded once; one of zeros stays. */
function scaledTo(norm: number, row: Float64Array): Float32Array {
  const own = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(row, (value) => (own > 0 ? (value * norm) / own : 0));
}
