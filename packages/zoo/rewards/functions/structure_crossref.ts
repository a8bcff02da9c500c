/**
 * Whether a completion refers to what it has stated. A line that begins with a mark such as `[1]` states a fact; the same mark
 * elsewhere refers to it. With S the stated facts, U those of them that are referred to later, and B the references to
 * nothing that was stated before:
 *
 *   R = |U| / |S| · |valid references| / |references|,   0 where nothing is stated or nothing is referred to
 *
 * After ReFIne, whose reward for structure and references is not published in full: the product is ours.
 */
import { integer, options } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';

const MARK = /\[[1-9][0-9]{0,2}\]/g;
const STATES = /^ *(\[[1-9][0-9]{0,2}\])/;

export const structureCrossrefReward = defineReward({
  does: 'Share of the facts stated as [1], [2], … at the start of a line that are referred to later, times the share of references that are to one of them.',
  options: options({
    least: integer({ min: 1, example: 2 }).default(1).describe('Fewer stated facts are worth 0.'),
  }),
  create: ({ least }) => ({
    name: 'structure-crossref',
    range: [0, 1],
    score: ({ completions }) => completions.map((completion) => scoreOf(completion, least)),
  }),
});

function scoreOf(completion: string, least: number): number {
  const stated = new Set<string>();
  const used = new Set<string>();
  let [references, valid] = [0, 0];
  for (const line of completion.split('\n')) {
    const own = STATES.exec(line)?.[1];
    const isNew = own !== undefined && !stated.has(own);
    const marks = [...line.matchAll(MARK)].map(([mark]) => mark).slice(isNew ? 1 : 0);
    for (const mark of marks) {
      references++;
      if (!stated.has(mark)) continue;
      valid++;
      used.add(mark);
    }
    if (isNew) stated.add(own);
  }
  if (stated.size < least || references === 0) return 0;
  return (used.size / stated.size) * (valid / references);
}
