/** SmolLM2-135M-Instruct, where `rlvr-train fetch smollm2` has put it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { Capacity } from '../../../../src/model/memory/capacity.ts';
import { Policy } from '../../../../src/model/policy.ts';
import { loadPretrained } from '../../model/pretrained/load_weights.ts';
import { findModel } from '../../run/model/find_model.node.ts';
import { openPretrained } from '../../run/model/open_pretrained.ts';
import type { Pretrained } from '../../run/model/pretrained.ts';

const FOLDER = process.env.RLVR_MODELS ?? fileURLToPath(new URL('../../../../models', import.meta.url));

export const SMOLLM2 = join(FOLDER, 'SmolLM2-135M-Instruct.Q4_1.gguf');

/** CI says that it must be there; elsewhere its tests are skipped where it is not. */
export const SMOLLM2_IS_MISSING = !existsSync(SMOLLM2) && process.env.RLVR_TEST_SMOLLM2 !== 'required';

/** @param numLayers  the first ones alone, of 30 */
export async function openSmolLm2(numLayers = 30): Promise<Pretrained> {
  const pretrained = await openPretrained(findModel(SMOLLM2));
  if (numLayers === 30) return pretrained;
  const { shape, tensors } = pretrained.model;
  const isLeftOut = (name: string): boolean => Number(/^model\.layers\.(\d+)\./.exec(name)?.[1] ?? 0) >= numLayers;
  const model = {
    ...pretrained.model,
    shape: { ...shape, numLayers },
    tensors: new Map([...tensors].filter(([name]) => !isLeftOut(name))),
  };
  return { ...pretrained, model };
}

/** A policy with its weights, for sampling and scoring. */
export async function smolLm2Policy(
  { model }: Pretrained,
  threads: number,
  capacity: Partial<Capacity>,
): Promise<Policy> {
  const policy = await Policy.open(await wasmBackend({ threads }), model.shape, {
    rows: 1024,
    lossRows: 1024,
    groups: 20,
    completions: 64,
    kvRows: 4096,
    context: 320,
    training: false,
    keptRows: 0,
    ...capacity,
  });
  await loadPretrained(model, policy);
  return policy;
}
