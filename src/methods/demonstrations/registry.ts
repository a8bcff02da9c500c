/** What a supervised stage may show of problems that are played in turns, and how it weighs demonstrations. A new method is a file here and a line below. */
import type { DemonstrationMethod } from '../method.ts';
import { reflectionSft } from './reflection_sft.ts';
import { tokenWeightedSft } from './token_weighted_sft.ts';
import { worldModelStage } from './world_model_stage.ts';

export const DEMONSTRATIONS: readonly DemonstrationMethod[] = [worldModelStage, reflectionSft, tokenWeightedSft];
