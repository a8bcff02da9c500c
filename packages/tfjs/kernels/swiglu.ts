/** Gated linear unit with SiLU or GELU, arXiv:2002.05202. Formulas and shapes: ../kernels.ts (swiglu). */
import * as tf from '@tensorflow/tfjs';
import { type GateActivation, GELU, type SwigluArgs, type SwigluBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Opened } from './operands.ts';

/** gate·σ(u)·up of [N, 2F]: gate, then up */
function gated(gateUp: tf.Tensor, activation: GateActivation | undefined): tf.Tensor {
  const [gate, up] = tf.split(gateUp, 2, 1) as [tf.Tensor, tf.Tensor];
  return tf.mul(tf.mul(gate, tf.sigmoid(activation === undefined ? gate : innerOfGelu(gate))), up);
}

function innerOfGelu(gate: tf.Tensor): tf.Tensor {
  return tf.mul(gate, tf.add(tf.mul(tf.square(gate), GELU.cubic), GELU.linear));
}

export function swiglu({ gateUp, out, rows, activation }: Opened<SwigluArgs>): void {
  out.set(gated(gateUp.tensor(rows), activation), rows);
}

export function swigluBackward({ gateUp, dOut, dGateUp, rows, activation }: Opened<SwigluBackwardArgs>): void {
  const of = (given: tf.Tensor): tf.Tensor => gated(given, activation);
  dGateUp.set(tf.grad(of)(gateUp.tensor(rows), dOut.tensor(rows)), rows);
}
