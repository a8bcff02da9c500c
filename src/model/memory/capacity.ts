/** What a policy's memory is planned by. */
import type { ArenaBuilder } from '../../kernels/memory.ts';
import type { Storage } from '../../kernels/storage.ts';
import type { OutputName } from '../outputs/names.ts';
import type { Recompute } from './recompute.ts';

/** How much a policy must hold at once. */
export interface Capacity {
  /** Packed rows of a training batch, or of one decoding step. */
  readonly rows: number;
  /** Rows that carry a loss in a training batch. */
  readonly lossRows: number;
  /** Groups in a training batch. */
  readonly groups: number;
  /** Completions in a training batch, and sampled side by side. */
  readonly completions: number;
  /** Rows of the key/value cache: at least `rows`. */
  readonly kvRows: number;
  /** Longest prompt plus completion, in tokens. */
  readonly context: number;
  /** false for a policy that only samples: no gradients, no optimizer. */
  readonly training: boolean;
  /** Parameter sets beside the weights, by name: a copy of what is trained, and the frozen rest of the model. */
  readonly sets?: Readonly<Record<string, SetUse>>;
  /** Loss rows that further outputs are held of at once, by the name of each; absent: none. At most `lossRows`. */
  readonly outputRows?: { readonly [name in OutputName]?: number };
  /** How a copy of the matrices is kept that rollouts may be sampled from; absent: there is none. */
  readonly rolloutCopy?: 'q8_0' | undefined;
  /** Rows of rollouts whose activations are kept as the training forward; 0: the update computes them again. */
  readonly keptRows: number;
  /** How values are kept that are written once, read again and never added to; f32 by default. */
  readonly rounded?: Storage | undefined;
  /** How keys and values are kept; by default as what may be rounded. */
  readonly keptKeys?: Storage | undefined;
  /** What the backward pass makes again instead of keeping it; by default `elementwise` beside an adapter, else nothing. No choice changes a bit. */
  readonly recompute?: Recompute | undefined;
  /** Decoding steps between two reads, at most; 1 by default. */
  readonly stepsPerRead?: number | undefined;
}

/** Most rows of the cache that are copied at once: no stretch of it is longer that has room for its copy. */
export function mostCopied({ kvRows }: Capacity): number {
  return kvRows >> 1;
}

/** scored: batches are scored under it, and it may be rounded; mixed: it is only copied and mixed, and stays exact. */
export type SetUse = 'scored' | 'mixed';

/** rounded: real, and never added to. keys: so are keys and values. copy: matrices that the host rounds. */
type ArenaKind = 'real' | 'rounded' | 'keys' | 'copy' | 'int';
/** Opens an arena of this name, said in messages to be for this purpose. */
export type ArenaOf = (name: string, purpose: string, kind?: ArenaKind) => ArenaBuilder;
