/**
 * Norms that multiply by 1 + weight, as Gemma's do. Kernels multiply by a weight, so they read the sums, which lie in an
 * arena of their own and are made again where weights have changed. d(1 + w)/dw = 1: the gradient is that of the weight.
 */
import type { Kernels } from '../kernels/kernels.ts';
import type { ArenaBuilder, Slot } from '../kernels/memory.ts';

const NAMES = [
  'inputNorm',
  'qNorm',
  'kNorm',
  'attentionBranchNorm',
  'feedForwardNorm',
  'feedForwardBranchNorm',
] as const;

type LayerNorms = { readonly [Name in (typeof NAMES)[number]]?: Slot | undefined };

interface Norms {
  readonly finalNorm: Slot;
  readonly layers: readonly LayerNorms[];
}

/** 1 + weight of the norms, in the places of the weights. */
export type OffsetNorms = Norms;

interface WithOffsetNorms extends Norms {
  readonly offsetNorms?: OffsetNorms | undefined;
}

export function layOutOffsetNorms({ finalNorm, layers }: Norms, arena: ArenaBuilder): OffsetNorms {
  const sumOf = (slot: Slot): Slot => arena.slot(slot.shape);
  return {
    finalNorm: sumOf(finalNorm),
    layers: layers.map((layer) =>
      Object.fromEntries(NAMES.flatMap((name) => (layer[name] === undefined ? [] : [[name, sumOf(layer[name])]]))),
    ),
  };
}

/** Makes the sums of a set. */
export function refreshOffsetNorms(kernels: Kernels, { finalNorm, layers, offsetNorms }: WithOffsetNorms): void {
  if (offsetNorms === undefined) return;
  const add = (weight: Slot, sum: Slot): void => {
    kernels.fill({ out: sum, value: 1 });
    kernels.add({ x: weight, out: sum });
  };
  add(finalNorm, offsetNorms.finalNorm);
  offsetNorms.layers.forEach((sums, i) => {
    for (const name of NAMES) {
      const [weight, sum] = [layers[i]?.[name], sums[name]];
      if (weight !== undefined && sum !== undefined) add(weight, sum);
    }
  });
}

/** The set as kernels read it. */
export function asRead<Set extends WithOffsetNorms>(set: Set): Set {
  const { offsetNorms } = set;
  if (offsetNorms === undefined) return set;
  const layers = set.layers.map((layer, i) => ({ ...layer, ...offsetNorms.layers[i] }));
  return { ...set, finalNorm: offsetNorms.finalNorm, layers };
}
