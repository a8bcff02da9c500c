/** Activations that the backward pass recomputes, so that they need not be kept. */

/**
 * elementwise: the outputs of the norms and of the activation, each by one kernel from its neighbours: a third fewer numbers a
 * row, for one part in a hundred of the backward's time.
 *
 * layers: all of a layer but its input, its keys and its values, by the layer's forward pass without its last product
 * (activation checkpointing by layers, arXiv:1604.06174).
 */
export type Recompute = 'nothing' | 'elementwise' | 'layers';

/** The activations of a layer that each choice recomputes, in a buffer that all layers share. */
const MADE_AGAIN = {
  nothing: [],
  elementwise: ['inputNormed', 'middleNormed', 'activated'],
  layers: [
    'inputRstd',
    'inputNormed',
    'qkv',
    'q',
    'attention',
    'logSumExp',
    'middle',
    'middleRstd',
    'middleNormed',
    'gateUp',
    'activated',
    'attended',
    'attendedRstd',
  ],
} as const satisfies Record<Recompute, readonly string[]>;

export type MadeAgain = (typeof MADE_AGAIN)[Recompute][number];

export function madeAgain(recompute: Recompute): readonly MadeAgain[] {
  return MADE_AGAIN[recompute];
}
