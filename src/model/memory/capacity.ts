/** The capacity that a policy's memory is planned for. */
import type { ArenaBuilder } from '../../kernels/memory.ts';
import type { OutputName } from '../outputs/names.ts';
import type { Keeping, KeepingAsked } from './keeping.ts';

/** How much a policy must hold at once. */
export interface Capacity extends KeepingAsked {
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
  /** Whether Muon may step the matrices of the layers; absent: only AdamW steps. */
  readonly muon?: boolean;
  /** Parameter sets beside the weights, by name: a copy of what is trained, and the frozen rest of the model. */
  readonly sets?: Readonly<Record<string, SetUse>>;
  /** Loss rows for which each further output is held at once, by its name; absent: none. At most `lossRows`. */
  readonly outputRows?: { readonly [name in OutputName]?: number };
  /** Rows of rollouts whose activations are kept as the training forward; 0: the update computes them again. */
  readonly keptRows: number;
}

/** Most cache rows that are copied at once: no longer span has room for its copy. */
export function mostCopied({ kvRows }: Capacity): number {
  return kvRows >> 1;
}

/** scored: batches are scored under it, and it may be rounded; mixed: it is only copied and mixed, and stays exact. */
export type SetUse = 'scored' | 'mixed';

/** The kinds of `Keeping`, or plain ones. */
type ArenaKind = 'real' | 'int' | keyof Keeping['storages'];
/** Opens an arena with this name; messages show its purpose. */
export type ArenaOf = (name: string, purpose: string, kind?: ArenaKind) => ArenaBuilder;
