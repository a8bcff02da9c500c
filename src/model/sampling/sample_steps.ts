/**
 * The steps of one sampler on the engine, and the programs that each replays. Only this file decides which weights
 * sample, and whether activations stay for the update.
 */
import type { Engine, Program } from '../../kernels/engine.ts';
import type { DerivedWeights } from '../derived_weights.ts';
import type { PolicyPlan } from '../memory/plan.ts';
import { COUNTS } from '../memory/slots.ts';
import { outputPrograms, readOutputs } from '../outputs/asked.ts';
import type { Programs } from '../programs.ts';
import { type CacheCopy, writeCopies } from './cache_copies.ts';
import type { StepSettings } from './settings.ts';

/** What a policy provides to its samplers. */
interface Sampling {
  readonly engine: Engine;
  readonly plan: PolicyPlan;
  readonly programs: Programs;
  readonly derived: DerivedWeights;
  /** Begins a step, whose rows may stay for `Policy.keep`. */
  readonly begin: (isKept: boolean) => void;
}

/** One decoding step, or the prompts' prefill. */
interface SampleStep {
  /** Its rows go to `slots.rollout`. */
  readonly isKept: boolean;
  /** Its tokens are the last sampled ones. */
  readonly isFed: boolean;
  /** Rows of the cache that are copied first. */
  readonly moved: readonly CacheCopy[];
}

export class SampleSteps {
  /** Whether the activations of the steps may stay, for `Policy.keep`. */
  readonly keeps: boolean;
  readonly #of: Sampling;
  /** What samples: the weights, or their copy. */
  readonly #weights: 'policy' | 'copy';

  constructor(sampling: Sampling, { keep = false, fromCopy = false }: StepSettings) {
    this.#of = sampling;
    this.#weights = fromCopy ? 'copy' : 'policy';
    this.keeps = keep && !fromCopy && sampling.programs.keeping !== undefined; // an update is of the weights
  }

  /**
   * The programs of a step over the rows in the input slots, which `decoder.ts` fills: forward, then one sampled token
   * per sampled row. They refresh derived weights first.
   * @throws Error if the policy was opened without the copy
   */
  async next({ isKept, isFed, moved }: SampleStep): Promise<readonly Program[]> {
    const { engine, plan, programs, derived, begin } = this.#of;
    const { sample, copyKeysAndValues, keeping, ahead } = programs;
    begin(isKept);
    if (moved.length > 0) writeCopies(engine, plan.slots.inputs, moved);
    await derived.refresh(this.#weights);
    return [
      moved.length > 0 ? copyKeysAndValues : undefined,
      isFed ? (isKept ? ahead?.feedKept : ahead?.feed) : undefined,
      isKept ? keeping?.rollout : sample.get(this.#weights),
      ahead?.remember,
    ].filter((program) => program !== undefined);
  }

  /**
   * [samples × vocabulary] log-probs of every token that the last step could have sampled.
   * @throws Error where there is no room for them
   */
  async distributions(samples: number, temperature: number): Promise<Float32Array> {
    const { engine, plan, programs } = this.#of;
    engine.write(plan.slots.inputs.counts, [samples], COUNTS.lossRows);
    const outputs = ['distributions'] as const;
    await engine.replay(...outputPrograms(programs, plan.capacity, outputs, { lossRowCount: samples }, this.#weights));
    const { distributions } = await readOutputs(engine, plan, outputs, samples, temperature);
    return distributions as Float32Array; // it was asked for
  }
}
