/** Weights as bytes: what of a model a run trains, tensor by tensor, as a learner sends it and its workers take it. */
import { slotLength } from '../../src/kernels/memory.ts';
import type { Parameter } from '../../src/model/parameters.ts';
import type { Policy } from '../../src/model/policy.ts';

/** What of a policy changes while it trains: its adapters where it has them, else every tensor. */
function sentParameters({ adapterParameters, parameters }: Policy): readonly Parameter[] {
  return adapterParameters.length > 0 ? adapterParameters : parameters;
}

/** Bytes of them. */
export function sentBytes(policy: Policy): number {
  return 4 * sentParameters(policy).reduce((sum, parameter) => sum + elements(parameter), 0);
}

/** The weights as they are: float32, tensor after tensor. */
export async function readWeights(policy: Policy): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Float32Array(sentBytes(policy) / 4);
  let at = 0;
  for (const parameter of sentParameters(policy)) {
    all.set(await policy.readParameter(parameter), at);
    at += elements(parameter);
  }
  return new Uint8Array(all.buffer);
}

/** @param bytes  as `readWeights` gives them, of a policy of the same model */
export function writeWeights(policy: Policy, bytes: Uint8Array<ArrayBuffer>): void {
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  let at = 0;
  for (const parameter of sentParameters(policy)) {
    policy.writeParameter(parameter, all.subarray(at, at + elements(parameter)));
    at += elements(parameter);
  }
}

function elements({ slot }: Parameter): number {
  return slotLength(slot);
}
