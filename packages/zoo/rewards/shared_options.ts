/** Options that several reward functions have; apart from what reads with them, since every config is read with these. */
import { text } from '../../../src/options/keys.ts';

/** Names the column of the truth. */
export const truthColumn = text('answer')
  .optional()
  .describe("The column of a problem that has the truth. Default: the problem's right answer.");

/** Precedes how sure a completion says it is. */
export const confidenceMark = text('<confidence>')
  .default('<confidence>')
  .describe('What precedes the number at the end of a completion: a share from 0 to 1, or a percentage.');
