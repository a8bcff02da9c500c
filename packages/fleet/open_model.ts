/** The model of a run as a worker opens it: the same shape and class of bits, and nothing of an update. */
import { FleetError, RlvrError } from '../../src/errors.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import { Policy } from '../../src/model/policy.ts';
import type { BaseHashes } from '../../src/run/base.ts';
import { loadPretrained } from '../models/model/pretrained/load_weights.ts';
import type { ModelFiles, PretrainedModel } from '../models/model/pretrained/source.ts';
import { weightsHash } from '../models/run/model/base_hashes.ts';
import type { Pretrained } from '../models/run/model/pretrained.ts';
import type { RunCard } from './cards.ts';

type Base = NonNullable<RunCard['base']>;

/** Features of a backend that change no bit. */
const FREE_FEATURES: readonly string[] = ['threads', 'simd'];

/** Opens what the worker's machine has. */
export interface ModelSources {
  /** @param features  of the learner's backend */
  openBackend(name: string, features: RunCard['features']): Promise<Backend>;
  /** @param path  a folder, or a model of the hub */
  openBase(path: string): Promise<Pretrained>;
  /** Has the base sent to it, where it lacks it; absent: it does not. */
  readonly receiveBase?: (card: RunCard) => Promise<ModelFiles>;
}

/**
 * Opens a policy for the tasks of a run; its weights come later.
 * @throws RlvrError where this machine has not the class of bits, the base model or the memory
 */
export async function openRunModel(card: RunCard, sources: ModelSources): Promise<Policy> {
  const { shape, adapter, capacity, base } = card;
  const backend = await sources.openBackend(card.backend, card.features);
  const policy = await Policy.open(
    backend,
    shape,
    { ...capacity, lossRows: capacity.completions, groups: 1, training: false, keptRows: 0 },
    adapter && { adapter },
  );
  try {
    requireClass(card, policy);
    if (adapter !== undefined && base !== undefined) await loadBase(card, policy, sources);
    return policy;
  } catch (error) {
    await policy.close();
    throw error;
  }
}

/** How a wasm of the learner's class keeps keys and values. @param keys  its feature of this name */
export const storageOfKeys = (keys: RunCard['features'][string] | undefined): 'bfloat16' | 'float32' =>
  keys === 'bfloat16' ? keys : 'float32';

/** What decides the bits of a backend, for a card. */
export function classOfBits({ backend, features }: Policy['engine']): Pick<RunCard, 'backend' | 'features'> {
  const deciding = Object.entries(features).filter(([name]) => !FREE_FEATURES.includes(name));
  return { backend, features: Object.fromEntries(deciding) };
}

/** @throws FleetError where this machine computes other bits */
function requireClass(card: RunCard, { engine }: Policy): void {
  const own = classOfBits(engine);
  const text = ({ backend, features }: Pick<RunCard, 'backend' | 'features'>): string =>
    [backend, ...Object.entries(features).map(([name, value]) => `${name} ${value}`)].join(', ');
  if (text(own) === text(card)) return;
  const rule = `this machine computes by ${text(own)}, and the learner by ${text(card)}: other bits`;
  throw new FleetError('fleet-class', `${rule}; use a machine like the learner's.`);
}

/** Takes what this machine has of it, else what the learner sends. @throws RlvrError where that is none, or another one */
async function loadBase(card: RunCard, policy: Policy, { openBase, receiveBase }: ModelSources): Promise<void> {
  const base = card.base as Base;
  try {
    const pretrained = await openBase(base.path);
    await requireSame(base, await pretrained.hashes(), pretrained.model);
    return await pretrained.loadWeights(policy);
  } catch (error) {
    if (!(error instanceof RlvrError) || receiveBase === undefined) throw error;
  }
  const { openReceived } = await import('./base/open_received.ts');
  await loadPretrained(await openReceived(await receiveBase(card), Object.keys(base.files)), policy);
}

/** @throws FleetError where it is another model than the learner's */
async function requireSame({ path, files }: Base, own: BaseHashes, model: PretrainedModel): Promise<void> {
  const other = Object.keys(files).find((name) => own[name] !== undefined && own[name] !== files[name]);
  if (other === undefined && (await weightsHash(own, model)) === (await weightsHash(files, model))) return;
  const rule = `${other ?? 'its weights'} on this machine differ from the learner's`;
  throw new FleetError('fleet-base', `model ${path}: ${rule}; fetch the same revision.`);
}
