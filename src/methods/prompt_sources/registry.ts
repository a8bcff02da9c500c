/** Which problems are asked. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { PromptSource } from '../points.ts';
import { adaptiveLevel } from './adaptive_level.ts';
import { admission } from './admission.ts';
import { bandit } from './bandit.ts';
import { bands } from './bands.ts';
import { fewShotData } from './few_shot_data.ts';
import { greedyFilter } from './greedy_filter.ts';
import { hardest } from './hardest.ts';
import { keepRange } from './keep_range.ts';
import { mixtureDynamic } from './mixture_dynamic.ts';
import { mixtureInfluence } from './mixture_influence.ts';
import { mixtureProgress } from './mixture_progress.ts';
import { prefilter } from './prefilter.ts';
import { prioritized } from './prioritized.ts';
import { solveRatePrune } from './solve_rate_prune.ts';
import { stream } from './stream.ts';
import { twin } from './twin.ts';
import { weakness } from './weakness.ts';

export const PROMPT_SOURCES: readonly Method<PromptSource>[] = [
  stream,
  prioritized,
  fewShotData,
  prefilter,
  keepRange,
  solveRatePrune,
  hardest,
  greedyFilter,
  admission,
  weakness,
  mixtureProgress,
  mixtureDynamic,
  mixtureInfluence,
  adaptiveLevel,
  bands,
  bandit,
  twin,
];
