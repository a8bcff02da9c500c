/** What Gemma 3 computes in another way than Llama, whatever its file is. */
import type { FamilyShape } from '../../../../src/model/shape.ts';

/** One layer in so many sees all tokens: llama.cpp's number, which its files do not name, and the default of Hugging Face's. */
export const GEMMA_EVERY = 6;
/** θ of the layers that see a window, by the same two. */
export const GEMMA_LOCAL_THETA = 10_000;

/** All layers but the last of each `every`. */
export function allButEvery(every: number, layers: number): boolean[] {
  return Array.from({ length: layers }, (_, layer) => (layer + 1) % every !== 0);
}

/** @param local  the layers that see a window @param theta  by which their positions turn */
export function gemmaShape(hiddenSize: number, local: readonly boolean[], window: number, theta: number): FamilyShape {
  return {
    activation: 'gelu_tanh',
    // transformers multiplies by the root in single precision
    embeddingScale: Math.fround(Math.sqrt(hiddenSize)),
    offsetNorms: true,
    branchNorms: true,
    window: { size: window, layers: local },
    otherRope: { layers: local, theta },
  };
}
