/**
 * How a policy keeps what it holds, in one record: made once, as its memory is planned, of what its capacity asks, what its
 * backend can, and what of the model is trained. Arenas and programs follow it.
 */
import type { Backend } from '../../kernels/engine.ts';
import { STORAGE_OF, type Storage } from '../../kernels/storage.ts';
import type { AdapterSettings } from '../adapter.ts';
import type { StorageOfTensor } from '../parameters.ts';
import type { Recompute } from './recompute.ts';

/** What is asked of it; what is absent follows from the backend and from what is trained. */
export interface KeepingAsked {
  /** How values are kept that are written once, read again and never added to; f32 by default. */
  readonly rounded?: Storage | undefined;
  /** How keys and values are kept; by default as what may be rounded. */
  readonly keptKeys?: Storage | undefined;
  /** How a copy of the matrices is kept that rollouts may be sampled from; absent: there is none. */
  readonly rolloutCopy?: 'q8_0' | undefined;
  /** What the backward pass makes again instead of keeping it; by default `elementwise` beside an adapter, else nothing. No choice changes a bit. */
  readonly recompute?: Recompute | undefined;
  /** Decoding steps between two reads, at most; 1 by default. */
  readonly stepsPerRead?: number | undefined;
}

/** How each kind of arena is kept, f32 where nothing is said; and what is not kept at all. */
export interface Keeping {
  /** Storage of values that are never added to, of keys and values, and of the copy of matrices, if there is to be one. */
  readonly storages: { readonly [kind in 'rounded' | 'keys' | 'copy']: Storage | undefined };
  /** Storage of frozen matrices, and of the embedding, by name. */
  readonly storageOf: StorageOfTensor;
  /** What the backward pass makes again. */
  readonly recompute: Recompute;
  readonly stepsPerRead: number;
}

/** What decides it besides what is asked. */
interface KeepingOf {
  readonly adapter?: AdapterSettings | undefined;
  readonly storageOf?: StorageOfTensor | undefined;
}

/** What a backward pass makes again where its plan does not say: what it cheaply can, beside an adapter, whose base leaves little room. */
export function usualRecompute({ adapter }: KeepingOf): Recompute {
  return adapter === undefined ? 'nothing' : 'elementwise';
}

const exactly: StorageOfTensor = () => 'f32';

export function keepingOf(
  { rounded, keptKeys = rounded, rolloutCopy, recompute, stepsPerRead = 1 }: KeepingAsked,
  trained: KeepingOf,
): Keeping {
  const { storageOf = exactly } = trained;
  const storages = { rounded, keys: keptKeys, copy: rolloutCopy };
  return { storages, storageOf, recompute: recompute ?? usualRecompute(trained), stepsPerRead };
}

/** What a backend says of it. */
export type KeepingBackend = Pick<Backend, 'stepsPerRead' | 'storageDtype' | 'roundsKeysAlone'>;

/** What is asked where only the backend says something: how often it reads, and how it keeps what may be rounded. */
export function keepingOn({
  stepsPerRead,
  storageDtype = 'float32',
  roundsKeysAlone = false,
}: KeepingBackend): KeepingAsked {
  const keptKeys = STORAGE_OF[storageDtype];
  return { stepsPerRead, rounded: roundsKeysAlone ? undefined : keptKeys, keptKeys };
}
