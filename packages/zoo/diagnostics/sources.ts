/** Sources of prompts: whether there is anything left that they are to ask. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import { percent } from '../../../src/format.ts';

/** Share of the places of a batch that go to problems which the source is there to leave out. */
const MOST = 0.5;
/** Batches in a row: at first a source has met few problems. */
const FOR_BATCHES = 5;

const sourceStarves: Diagnostic = {
  code: 'source-starves',
  level: 'warning',
  after: 'batch',
  reads: ['starved'],
  patience: FOR_BATCHES,
  look({ batches }) {
    const starved = batches.at(-1)?.starved;
    if (starved === undefined || starved.share < MOST) return undefined;
    const { source, share } = starved;
    return {
      seen: `${source} finds too few problems: ${percent(share)} of a batch were others than it looks for, or the same ones again, for ${FOR_BATCHES} batches`,
      why: 'What it leaves out is trained on all the same, or a few problems are asked over and over',
      remedy: `Give the task more problems or another level, widen what ${source} takes, or leave it out`,
    };
  },
};

export const SOURCE_DIAGNOSTICS: readonly Diagnostic[] = [sourceStarves];
