/** Sources that leave problems out by the moving share of their completions that were right. */
import { integer, type PromptSource, STARVED } from '../../kit.ts';
import { drawWanted } from './drawn.ts';

/** Rounds of drawing for the problems of a batch. */
const ROUNDS = 16;

export const revisitAfter = integer({ min: 0, max: 1_000_000, example: 50 })
  .default(0)
  .describe('Optimizer steps after which a problem that was left out is asked again; 0: never.');

/**
 * Problems whose share is not wanted are left out, until they are due again; those that were never asked are wanted.
 * Where all that is drawn is left out, it is asked all the same.
 */
export function byRate(wanted: (solved: number) => boolean, revisit: number): PromptSource {
  return {
    async next(count, draw, { ledger, step, metric }) {
      const { items, unwanted, starved } = await drawWanted(count, draw, ROUNDS, async (drawn) =>
        drawn.map((item) => {
          const known = ledger.get(item);
          if (known === undefined || wanted(known.solved)) return true;
          return revisit > 0 && step - known.lastStep >= revisit;
        }),
      );
      metric('left_out', unwanted);
      metric(STARVED, starved);
      return items;
    },
  };
}
