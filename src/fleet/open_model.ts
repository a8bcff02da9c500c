/** The model of a run as a worker opens it: the same shape and class of bits, and nothing of an update. */
import { FleetError } from '../errors.ts';
import type { Backend } from '../kernels/engine.ts';
import { Policy } from '../model/policy.ts';
import { weightsHash } from '../run/model/base_hashes.ts';
import { loadWeights, type Pretrained } from '../run/model/pretrained.ts';
import type { RunCard } from './cards.ts';

/** Features of a backend that change no bit. */
const FREE_FEATURES: readonly string[] = ['threads', 'simd'];

/** Opens what the worker's machine has. */
export interface ModelSources {
  /** @param features  of the learner's backend */
  openBackend(name: string, features: RunCard['features']): Promise<Backend>;
  /** @param path  a folder, or a model of the hub */
  openBase(path: string): Promise<Pretrained>;
}

/**
 * Opens a policy for the tasks of a run; its weights come later.
 * @throws RlvrError where this machine has not the class of bits, the base model or the memory
 */
export async function openRunModel(card: RunCard, sources: ModelSources): Promise<Policy> {
  const { shape, adapter, capacity, base } = card;
  const backend = await sources.openBackend(card.backend, card.features);
  const { rows, completions, kvRows, context } = capacity;
  const policy = await Policy.open(
    backend,
    shape,
    { rows, completions, kvRows, context, lossRows: completions, groups: 1, training: false, keptRows: 0 },
    adapter && { adapter },
  );
  try {
    requireClass(card, policy);
    if (adapter !== undefined && base !== undefined) await loadBase(base, policy, sources);
    return policy;
  } catch (error) {
    await policy.close();
    throw error;
  }
}

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

/** @throws RlvrError where the base is not there, or another one is */
async function loadBase(
  { path, files }: NonNullable<RunCard['base']>,
  policy: Policy,
  { openBase }: ModelSources,
): Promise<void> {
  const pretrained = await openBase(path);
  const own = await pretrained.hashes();
  const other = Object.keys(files).find((name) => own[name] !== undefined && own[name] !== files[name]);
  const sha256 = await weightsHash(own, pretrained.model);
  const wanted = await weightsHash(files, pretrained.model);
  if (other !== undefined || sha256 !== wanted) {
    const rule = `${other ?? 'its weights'} on this machine differ from the learner's`;
    throw new FleetError('fleet-base', `model ${path}: ${rule}; fetch the same revision.`);
  }
  await loadWeights(pretrained, policy);
}
