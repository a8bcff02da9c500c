import { integer } from '../../../../src/options/keys.ts';

/** The knob of how often it may be tried. */
export const CALLS = integer({ min: 1, max: 8, example: 2 })
  .default(2)
  .describe('Turns that may call a tool; the answer takes one more.');
