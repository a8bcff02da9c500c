/**
 * A model with its adapter added to its weights: W' = W + scale·B·A, summed in float64 and rounded to float32 once.
 *
 * Tensors are merged as they are read, a piece at a time: beside A and B of one module nothing is held.
 */

import { adapterScale } from './adapter_config.ts';
import { type Adapter, requireFit } from './adapter_files.ts';
import { allValues, type PretrainedModel, type PretrainedTensor, type TakeValues } from './source.ts';

/** @throws CheckpointError `adapter-misfit` where the adapter belongs to another model */
export function mergedModel(base: PretrainedModel, adapter: Adapter): PretrainedModel {
  requireFit(adapter, base);
  const scale = adapterScale(adapter.config);
  const tensors = [...base.tensors].map(([name, tensor]): [string, PretrainedTensor] => {
    const module = name.replace(/\.weight$/, '');
    const [a, b] = [adapter.tensors.get(`${module}.lora_A.weight`), adapter.tensors.get(`${module}.lora_B.weight`)];
    return [
      name,
      a && b ? { ...tensor, read: (take) => readMerged(tensor, a, b, scale, take), stored: undefined } : tensor,
    ];
  });
  return { ...base, tensors: new Map(tensors) };
}

/** @param weight  [out, in] @param a  [r, in] @param b  [out, r] */
async function readMerged(
  weight: PretrainedTensor,
  a: PretrainedTensor,
  b: PretrainedTensor,
  scale: number,
  take: TakeValues,
): Promise<void> {
  const [rank, inputs] = a.shape;
  const [down, up] = [await allValues(a), await allValues(b)];
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
      merged[i] = values[i] + scale * row[at + i - output * inputs];
    }
    take(merged, at);
  });
}
