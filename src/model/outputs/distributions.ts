/**
 * The log-probs of every token at each loss row. The products with the head's matrix go through the kernels of any other
 * matrix; the softmax is taken on the host, so that a derivative by it is one by the tempered logits.
 */
import { leadingRows } from '../../kernels/memory.ts';
import { logSoftmaxRows } from '../distributions.ts';
import { backwardLinear, forwardLinear, headOf } from '../linear.ts';
import type { Output } from './output.ts';

export const distributions: Output = {
  width: ({ vocabSize }) => vocabSize,
  plan({ vocabSize, hiddenSize }, room, { head, trainable }, isTrained, arena) {
    const rows = arena('distributions', 'distributions');
    const values = rows.slot([room, vocabSize]);
    if (!isTrained) return { values, backward: undefined };
    const dWeight = head.arena === trainable.arena ? arena('headGradient', 'gradients').slot(head.shape) : undefined;
    return { values, backward: { dHidden: rows.slot([room, hiddenSize]), dWeight } };
  },
  forward(kernels, { slots, rows }, weights, values) {
    forwardLinear(kernels, headOf(weights), { x: slots.hidden, out: values, rows });
  },
  backward(kernels, { slots: { weights, hidden, backward }, rows }, values, { dHidden, dWeight }) {
    if (backward === undefined) throw new Error('a policy planned without training has no backward');
    backwardLinear(kernels, headOf(weights, dWeight), { dOut: values, x: hidden, dX: dHidden, rows });
    kernels.add({ x: dHidden, out: leadingRows(backward.dHidden, dHidden.shape[0]) });
  },
  gradientOf: ({ head }) => head,
  given: logSoftmaxRows,
  taken: (derivatives, temperature) =>
    temperature === 1 ? derivatives : derivatives.map((value) => value / temperature),
};
