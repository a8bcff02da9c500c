/** A mode of sampling: one record, in its own file, declares everything that follows from it. */
import type { Remark } from '../remark.ts';
import type { GrpoStageConfig } from '../stage.ts';

export interface SamplingMode {
  /** An example for the lists of remarks: words, and a stage with the mode on. */
  readonly example: readonly [said: string, of: (stage: GrpoStageConfig) => GrpoStageConfig];
  isOn(stage: GrpoStageConfig): boolean;
  /** Whether the update cannot reuse the forward pass of sampling. */
  spoilsForward(stage: GrpoStageConfig): boolean;
  /** Another policy samples, so rollouts are off-policy even if trained on at once. */
  readonly samplesElsewhere: boolean;
  /** Storage of the copy of the weights that samples; absent: the weights sample. */
  readonly copy?: 'q8_0';
  /**
   * The remark of a method that assumes every completion to be the policy's own. @param missing, instead see
   * `uncorrected`
   */
  uncorrected(stage: GrpoStageConfig, missing: string, instead: string): string;
  /** The remark on a stage without weights by the sampler's probability. */
  readonly unweighed?: Remark;
}

/** The end of messages about a mode: what to use it with. */
export const WEIGHED = 'or weigh them: vllm_importance_sampling_correction: true';
