/**
 * Matrices that files hold as one, as those of Phi-3 and of Granite 4 do: its rows are those of q, k and v, or of gate and up,
 * one after another.
 */
import type { ModelShape } from '../../../../src/model/shape.ts';
import type { PretrainedTensor } from './source.ts';

/** Tensors with each fused one taken apart. */
export function takenApart(
  tensors: ReadonlyMap<string, PretrainedTensor>,
  { hiddenSize, numHeads, numKvHeads, headDim, intermediateSize }: ModelShape,
): ReadonlyMap<string, PretrainedTensor> {
  const [queries, keys] = [numHeads * headDim, numKvHeads * headDim];
  const gateAndUp = [
    ['mlp.gate_proj', intermediateSize],
    ['mlp.up_proj', intermediateSize],
  ] as const;
  const parts: Readonly<Record<string, readonly (readonly [name: string, rows: number])[]>> = {
    'self_attn.qkv_proj': [
      ['self_attn.q_proj', queries],
      ['self_attn.k_proj', keys],
      ['self_attn.v_proj', keys],
    ],
    'mlp.gate_up_proj': gateAndUp,
    'shared_mlp.input_linear': gateAndUp,
    'shared_mlp.output_linear': [['mlp.down_proj', hiddenSize]],
  };
  const apart = [...tensors].flatMap(([name, tensor]): (readonly [string, PretrainedTensor])[] => {
    const fused = Object.keys(parts).find((part) => name.endsWith(`.${part}.weight`));
    const own = fused === undefined ? [] : (parts[fused] ?? []);
    // A matrix of another height stays as it is, and is refused as a tensor that has no place.
    if (fused === undefined || tensor.shape[0] !== own.reduce((sum, [, rows]) => sum + rows, 0))
      return [[name, tensor]];
    let first = 0;
    return own.map(([part, rows]) => {
      first += rows;
      return [name.replace(fused, part), rowsOf(tensor, first - rows, rows)] as const;
    });
  });
  return new Map(apart);
}

/** Rows [first, first + count) of a matrix. All of it is read for them. */
function rowsOf({ shape, file, read }: PretrainedTensor, first: number, count: number): PretrainedTensor {
  const [, columns = 1] = shape;
  const [begin, end] = [first * columns, (first + count) * columns];
  return {
    shape: [count, ...shape.slice(1)],
    file,
    read: (take) =>
      read((values, at) => {
        const [from, to] = [Math.max(begin, at), Math.min(end, at + values.length)];
        if (from < to) take(values.subarray(from - at, to - at), from - begin);
      }),
  };
}
