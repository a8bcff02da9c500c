/** Reads outputs from an engine, and writes derivatives by them. */
import type { Engine, Program } from '../../kernels/engine.ts';
import type { PackedBatch } from '../batch.ts';
import type { Capacity } from '../memory/capacity.ts';
import type { OutputSlots } from '../memory/output_slots.ts';
import type { PolicyPlan } from '../memory/plan.ts';
import type { PolicySlots } from '../memory/slots.ts';
import type { Programs } from '../programs.ts';
import type { ScoreDerivatives } from '../scores.ts';
import type { ModelShape } from '../shape.ts';
import { OUTPUT_NAMES, type OutputName } from './names.ts';
import { OUTPUTS } from './outputs.ts';

/** A forward pass whose `backward` is still to come. */
export interface ForwardPass {
  /** Loss rows. */
  readonly rows: number;
  readonly temperature: number;
  /** Outputs besides log-probs and entropies. */
  readonly outputs: readonly OutputName[];
  /** Turns derivatives by the callers' values into those by the engine's, if they differ. */
  readonly widen?: ((derivatives: ScoreDerivatives) => ScoreDerivatives) | undefined;
}

/** The outputs to compute for a request: log-probs of a support need whole distributions. */
export function outputsOf({ supports }: PackedBatch, requested: readonly OutputName[]): readonly OutputName[] {
  return supports === undefined || requested.includes('distributions') ? requested : [...requested, 'distributions'];
}

/**
 * The programs that follow a scoring.
 * @param which  `policy`, or the name of the parameter set that it is under
 * @throws Error where the batch has more loss rows than there is room for
 */
export function outputPrograms(
  programs: Programs,
  { outputRows = {} }: Capacity,
  asked: readonly OutputName[],
  { lossRowCount }: Pick<PackedBatch, 'lossRowCount'>,
  which: string,
): Program[] {
  return asked.map((name) => {
    const program = programs.outputs[name]?.forward.get(which);
    const room = outputRows[name] ?? 0;
    if (program === undefined) throw new Error(`this policy was opened without ${name} of the ${which}`);
    if (lossRowCount > room) {
      throw new Error(`${name} of ${lossRowCount} loss rows: this policy was opened for ${room}; cut the batch`);
    }
    return program;
  });
}

/** Reads the results of those programs for callers. */
export async function readOutputs(
  engine: Engine,
  { shape, slots }: PolicyPlan,
  asked: readonly OutputName[],
  rows: number,
  temperature: number,
): Promise<{ readonly [name in OutputName]?: Float32Array }> {
  const given: [OutputName, Float32Array][] = [];
  for (const name of asked) {
    const width = OUTPUTS[name].width(shape);
    const { values } = slots.outputs[name] as OutputSlots; // its program was found
    given.push([name, OUTPUTS[name].given(await engine.read(values, rows * width), width, temperature)]);
  }
  return Object.fromEntries(given);
}

/** @throws Error unless there are as many derivatives as values of the forward pass */
export function checkDerivatives(
  { rows, outputs }: ForwardPass,
  shape: ModelShape,
  { logprobs, entropies, ...further }: ScoreDerivatives,
): void {
  const check = (name: string, derivatives: Float32Array | undefined, expected: number): void => {
    if (derivatives === undefined || derivatives.length === expected) return;
    const given = `${derivatives.length} derivatives by ${name} for a batch of ${rows} loss rows`;
    throw new Error(`backward was given ${given}: ${expected} are needed`);
  };
  check('logprobs', logprobs, rows);
  check('entropies', entropies, rows);
  for (const name of namesIn(further)) {
    if (!outputs.includes(name))
      throw new Error(`backward was given derivatives by ${name}, and its forward gave no ${name}`);
    check(name, further[name], rows * OUTPUTS[name].width(shape));
  }
}

/** Overwrites values with the derivatives by them. */
export function writeDerivatives(
  engine: Engine,
  slots: PolicySlots,
  derivatives: ScoreDerivatives,
  temperature: number,
): void {
  for (const name of namesIn(derivatives)) {
    const { values } = slots.outputs[name] as OutputSlots; // its forward has filled them
    engine.write(values, OUTPUTS[name].taken(derivatives[name] as Float32Array, temperature));
  }
}

/** The programs that add the outputs' gradients to `dHidden`. */
export function backwardPrograms({ outputs }: Programs, derivatives: ScoreDerivatives): Program[] {
  return namesIn(derivatives).flatMap((name) => outputs[name]?.backward ?? []);
}

function namesIn(derivatives: ScoreDerivatives): OutputName[] {
  return OUTPUT_NAMES.filter((name) => derivatives[name] !== undefined);
}
