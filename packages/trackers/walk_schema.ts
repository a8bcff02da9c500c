/** The form of a reader's position, as a tracker keeps it. Apart, since what is published must not name zod. */
import { z } from 'zod';
import type { Walk } from './metrics_walk.ts';

const number = z.number();

export const walkSchema: z.ZodType<Walk> = z.object({
  stages: number,
  stage: z.string(),
  step: number,
  before: number,
  seconds: number,
  batches: number.default(0),
});
