/**
 * How a policy stores its values, in one record. It is made once, when memory is planned, from the requested capacity,
 * the backend's abilities, and the trained part of the model. Arenas and programs follow it.
 */
import type { Backend } from '../../kernels/engine.ts';
import { STORAGE_OF, type Storage } from '../../kernels/storage.ts';
import type { AdapterSettings } from '../adapter.ts';
import type { StorageOfTensor } from '../parameters.ts';
import type { Recompute } from './recompute.ts';

/** The requested storage; absent fields follow from the backend and the trained part of the model. */
export interface KeepingAsked {
  /** How values are kept that are written once, read again and never added to; f32 by default. */
  readonly rounded?: Storage | undefined;
  /** How keys and values are kept; by default as what may be rounded. */
  readonly keptKeys?: Storage | undefined;
  /** How a copy of the matrices is kept that rollouts may be sampled from; absent: there is none. */
  readonly rolloutCopy?: 'q8_0' | undefined;
  /**
   * What the backward pass recomputes instead of keeping; by default `elementwise` with an adapter, else nothing. No
   * choice changes a bit.
   */
  readonly recompute?: Recompute | undefined;
  /** Decoding steps between two reads, at most; 1 by default. */
  readonly stepsPerRead?: number | undefined;
}

/** Storage of each kind of arena, f32 if unspecified, and what is not kept at all. */
export interface Keeping {
  /** Storage of values that are never added to, of keys and values, and of the copy of matrices, if there is to be one. */
  readonly storages: { readonly [kind in 'rounded' | 'keys' | 'copy']: Storage | undefined };
  /** Storage of frozen matrices, and of the embedding, by name. */
  readonly storageOf: StorageOfTensor;
  /** What the backward pass recomputes. */
  readonly recompute: Recompute;
  readonly stepsPerRead: number;
}

/** What decides it besides the request. */
interface KeepingOf {
  readonly adapter?: AdapterSettings | undefined;
  readonly storageOf?: StorageOfTensor | undefined;
}

/**
 * What a backward pass recomputes by default: with an adapter, whose base leaves little room, everything that is cheap.
 */
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

/** The backend's properties that matter here. */
export type KeepingBackend = Pick<Backend, 'stepsPerRead' | 'storageDtype' | 'roundsKeysAlone'>;

/** Fills the request from the backend: how often it reads, and how it stores values that may be rounded. */
export function keepingOn({
  stepsPerRead,
  storageDtype = 'float32',
  roundsKeysAlone = false,
}: KeepingBackend): KeepingAsked {
  const keptKeys = STORAGE_OF[storageDtype];
  return { stepsPerRead, rounded: roundsKeysAlone ? undefined : keptKeys, keptKeys };
}
