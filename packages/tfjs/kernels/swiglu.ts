/** Gated linear unit with SiLU, arXiv:2002.05202. Formulas and shapes: ../kernels.ts (swiglu). */
import * as tf from '@tensorflow/tfjs';
import type { SwigluArgs, SwigluBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Opened } from './operands.ts';

/** silu(gate)·up of [N, 2F]: gate, then up */
function gated(gateUp: tf.Tensor): tf.Tensor {
  const [gate, up] = tf.split(gateUp, 2, 1) as [tf.Tensor, tf.Tensor];
  return tf.mul(tf.mul(gate, tf.sigmoid(gate)), up);
}

export function swiglu({ gateUp, out, rows }: Opened<SwigluArgs>): void {
  out.set(gated(gateUp.tensor(rows)), rows);
}

export function swigluBackward({ gateUp, dOut, dGateUp, rows }: Opened<SwigluBackwardArgs>): void {
  dGateUp.set(tf.grad(gated)(gateUp.tensor(rows), dOut.tensor(rows)), rows);
}
