/** Reads the results of a scoring from the engine. */
import type { Engine } from '../kernels/engine.ts';
import type { Slot } from '../kernels/memory.ts';
import type { PackedBatch } from './batch.ts';
import type { PolicyPlan } from './memory/plan.ts';
import { narrowScores, widenDerivatives } from './narrowed_scores.ts';
import { type ForwardPass, outputsOf, readOutputs } from './outputs/asked.ts';
import type { OutputName } from './outputs/names.ts';
import type { Scores } from './scores.ts';

/** [loss rows] of a batch. */
export async function readRows(engine: Engine, slot: Slot, { lossRowCount }: PackedBatch): Promise<Float32Array> {
  return Float32Array.from(await engine.read(slot, lossRowCount));
}

/** The scores, and how derivatives by them become derivatives by the engine's values, if these differ. */
export interface ReadScores extends Pick<ForwardPass, 'widen'> {
  readonly scores: Scores;
}

/** @param logprobs  where they are @param asked  outputs that the caller gets besides */
export async function readScores(
  engine: Engine,
  plan: PolicyPlan,
  { logprobs, temperature, asked }: { logprobs: Slot; temperature: number; asked: readonly OutputName[] },
  batch: PackedBatch,
): Promise<ReadScores> {
  const [own, entropies] = await Promise.all([
    readRows(engine, logprobs, batch),
    readRows(engine, plan.slots.results.entropies, batch),
  ]);
  const further = await readOutputs(engine, plan, outputsOf(batch, asked), batch.lossRowCount, temperature);
  const scores = { logprobs: own, entropies, ...further };
  if (batch.supports === undefined) return { scores };
  const { distributions = new Float32Array(), ...narrow } = narrowScores(batch, scores);
  return {
    scores: asked.includes('distributions') ? { ...narrow, distributions } : narrow,
    widen: (derivatives) => widenDerivatives(batch, distributions, derivatives),
  };
}
