/** What a learner tells workers of its run. */
import type { ConfiguredModel } from '../../src/grpo/run.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { trainedOf } from '../../src/planning/capacity.ts';
import { sha256Hex } from '../../src/run/fingerprint/sha256.ts';
import { configHash } from '../../src/run/session.ts';
import type { RunCard } from './cards.ts';
import { classOfBits } from './open_model.ts';
import { PROTOCOL } from './protocol.ts';

/** Digits of a run's name. */
const RUN_DIGITS = 16;

/** The name of a run among those of a fleet: the same after a resume. @param directory  where it is kept */
export async function runName(
  { config, registries }: Pick<ConfiguredModel, 'config' | 'registries'>,
  directory: string,
): Promise<string> {
  const text = [await configHash(config, registries.tasks), config.seed, directory].join('\n');
  return (await sha256Hex(new TextEncoder().encode(text))).slice(0, RUN_DIGITS);
}

/** @param version  of this package: its kernels decide the bits */
export function runCard(run: ConfiguredModel, version: string): Omit<RunCard, 'run' | 'session' | 'partBytes'> {
  const { policy } = run.engine;
  const { adapter } = trainedOf(run.config);
  const { rows, completions, kvRows, context, rolloutCopy } = policy.capacity;
  const base = adapter && run.base;
  return {
    protocol: PROTOCOL,
    version,
    shape: sizesOf(policy.shape),
    ...(adapter && { adapter }),
    ...(base && { base: { path: placeOf(base.name), files: { ...base.files } } }),
    ...classOfBits(policy.engine),
    capacity: { rows, completions, kvRows, context, ...(rolloutCopy && { rolloutCopy }) },
  };
}

/** A config's model says more than its shape. */
function sizesOf(shape: ModelShape): ModelShape {
  const { vocabSize, hiddenSize, intermediateSize, numLayers, numHeads, numKvHeads, headDim } = shape;
  const { ropeTheta, ropeScaling, rmsNormEps, tieWordEmbeddings, attentionBias, qkNorm, family } = shape;
  const sizes = { vocabSize, hiddenSize, intermediateSize, numLayers, numHeads, numKvHeads, headDim };
  const switches = { rmsNormEps, tieWordEmbeddings, attentionBias, qkNorm };
  return { ...sizes, ropeTheta, ...(ropeScaling && { ropeScaling }), ...switches, ...(family && { family }) };
}

function placeOf({ name, revision }: NonNullable<ConfiguredModel['base']>['name']): string {
  return revision === undefined ? name : `${name}@${revision}`;
}
