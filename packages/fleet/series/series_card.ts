/** What a learner tells workers of its series, and whether a worker's machine may train its runs. */
import { FleetError } from '../../../src/errors.ts';
import type { Backend } from '../../../src/kernels/engine.ts';
import { Policy } from '../../../src/model/policy.ts';
import { mathematicsHash } from '../../../src/run/fingerprint/mathematics.ts';
import type { SeriesCard } from '../cards.ts';
import { classOfBits } from '../open_model.ts';
import { PROTOCOL } from '../protocol.ts';

/** What decides the bits of a run on a machine, and is compared by a resume. */
export type MachineClass = Pick<SeriesCard, 'backend' | 'features' | 'mathematics' | 'platform'>;

/** The least model that there is: a backend says what it has found once it is open. */
const LEAST_SHAPE = {
  ...{ vocabSize: 2, hiddenSize: 2, intermediateSize: 2, numLayers: 1, numHeads: 1, numKvHeads: 1, headDim: 2 },
  ...{ ropeTheta: 10_000, rmsNormEps: 1e-6, tieWordEmbeddings: true, attentionBias: false, qkNorm: false },
};
const LEAST_ROOM = {
  ...{ rows: 2, completions: 1, kvRows: 2, context: 2, lossRows: 1, groups: 1, training: false, keptRows: 0 },
};

/** @param platform  system and processor, as `linux x64` */
export async function machineClass(backend: Backend, platform: string): Promise<MachineClass> {
  const policy = await Policy.open(backend, LEAST_SHAPE, LEAST_ROOM);
  try {
    return { ...classOfBits(policy.engine), mathematics: await mathematicsHash(), platform };
  } finally {
    await policy.close();
  }
}

/** @param version  of this package */
export function seriesCard(
  machine: MachineClass,
  { run, session, version }: Pick<SeriesCard, 'run' | 'session' | 'version'>,
): SeriesCard {
  return { kind: 'series', protocol: PROTOCOL, version, run, session, ...machine };
}

/** @throws FleetError where this machine's runs would have other bits, or could not be resumed on the learner's */
export function requireMachine(card: SeriesCard, own: MachineClass): void {
  if (text(own) === text(card)) return;
  const rule = `this machine computes by ${text(own)}, and the learner by ${text(card)}: other bits`;
  throw new FleetError('fleet-class', `${rule}; use a machine like the learner's.`);
}

function text({ backend, features, mathematics, platform }: MachineClass): string {
  const own = Object.entries(features).map(([name, value]) => `${name} ${value}`);
  return [backend, ...own, `mathematics ${mathematics}`, platform].join(', ');
}
