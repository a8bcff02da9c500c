/**
 * The last hidden row of each loss row, after the final norm: the state before its token, from which heads on the host read a
 * number. Derivatives by it join those of the logits.
 */
import { leadingRows } from '../../kernels/memory.ts';
import type { Output } from './output.ts';

export const hidden: Output = {
  width: ({ hiddenSize }) => hiddenSize,
  plan({ hiddenSize }, room, _, isTrained, arena) {
    const values = arena('hiddenRows', 'hidden rows').slot([room, hiddenSize]);
    return { values, backward: isTrained ? { dHidden: values, dWeight: undefined } : undefined };
  },
  forward(kernels, { slots }, _, values) {
    kernels.copy({ x: leadingRows(slots.hidden, values.shape[0]), out: values });
  },
  backward(kernels, { slots: { backward } }, values) {
    if (backward === undefined) throw new Error('a policy planned without training has no backward');
    kernels.add({ x: values, out: leadingRows(backward.dHidden, values.shape[0]) });
  },
  gradientOf: () => undefined,
  given: (values) => Float32Array.from(values),
  taken: (derivatives) => derivatives,
};
