/** A mode of sampling: one record, in a file of its own, says all that follows from it. */
import type { Remark } from '../remark.ts';
import type { GrpoStageConfig } from '../stage.ts';

export interface SamplingMode {
  /** In words, for the lists of what methods say: a stage with the mode on. */
  readonly example: readonly [said: string, of: (stage: GrpoStageConfig) => GrpoStageConfig];
  isOn(stage: GrpoStageConfig): boolean;
  /** Whether the forward pass of sampling is not that of the update. */
  spoilsForward(stage: GrpoStageConfig): boolean;
  /** Another policy samples, however soon its rollouts are trained on: they are off-policy. */
  readonly samplesElsewhere: boolean;
  /** How a copy of the weights is kept that samples in their place; absent: the weights do. */
  readonly copy?: 'q8_0';
  /** What a method says that takes every completion for the policy's own. @param missing, instead  see `uncorrected` */
  uncorrected(stage: GrpoStageConfig, missing: string, instead: string): string;
  /** What is said of a stage that weighs nothing by what sampled it. */
  readonly unweighed?: Remark;
}

/** What a mode is used with, as messages end that name it. */
export const WEIGHED = 'or weigh them: vllm_importance_sampling_correction: true';
