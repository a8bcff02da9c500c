/** A policy's weights as tensors, there and back, under Hugging Face's names. */
import * as tf from '@tensorflow/tfjs';
import type { Policy } from '../../src/model/policy.ts';
import { TfjsEngine } from './kernels/engine.ts';

/** Tensors by name, as `model.layers.0.self_attn.q_proj.weight`. */
export type PolicyTensors = Readonly<Record<string, tf.Tensor>>;

/**
 * Every parameter as a tensor of the current tfjs backend; a tied head is not listed. Of a policy on that same backend
 * they are the policy's own tensors, not copied; else they go over the host. The caller disposes them.
 */
export async function policyToTensors(policy: Policy): Promise<Record<string, tf.Tensor>> {
  const { engine } = policy;
  const tensors: Record<string, tf.Tensor> = {};
  for (const { name, slot } of policy.parameters) {
    if (engine instanceof TfjsEngine && engine.backend === `tfjs:${tf.getBackend()}`) {
      tensors[name] = engine.tensorOf(slot);
    } else {
      tensors[name] = tf.tensor(await engine.read(slot), [...slot.shape], 'float32');
    }
  }
  return tensors;
}

/**
 * Makes tensors the policy's weights; they stay the caller's.
 * @throws Error where a parameter is missing or has another shape, before anything is written
 */
export async function policyFromTensors(policy: Policy, tensors: PolicyTensors): Promise<void> {
  for (const { name, slot } of policy.parameters) {
    const shape = tensors[name]?.shape;
    if (shape?.join() === slot.shape.join()) continue;
    const found = shape === undefined ? 'there is none' : `it is [${shape}]`;
    throw new Error(`policyFromTensors: ${name} must be [${slot.shape}]; ${found}.`);
  }
  const { engine } = policy;
  if (engine instanceof TfjsEngine && engine.backend === `tfjs:${tf.getBackend()}`) {
    policy.forgetKept();
    for (const { name, slot } of policy.parameters) engine.setTensor(slot, tensors[name]);
    return;
  }
  for (const parameter of policy.parameters) policy.writeParameter(parameter, await tensors[parameter.name].data());
}
