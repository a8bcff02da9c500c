/**
 * How much the first elements of a ranking help the model that answers by them, after MemSifter:
 *
 *   R = Σ_i w_i·(s(F_i) − s(0)),   F = 1, 2, 3, 5, 8,   w_i = C(F_i) − C(F_{i+1}),   C(k) = 1/log2(k + 1), C after the last: 0
 *
 * s(F) is what an answer scores that sees the first F elements. The paper asks a model; here a problem says what each element
 * adds, `gains`, and s(F) is the sum, 1 at most. Its published loop leaves out the first tier; this does not.
 */
import { options, text } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { readList } from '../../parsing/list.ts';
import { comparing, type TruthForm } from '../truth.ts';

const TIERS = [1, 2, 3, 5, 8];
const worth = (k: number): number => 1 / Math.log2(k + 1);
const WEIGHTS = TIERS.map((tier, i) => worth(tier) - (i + 1 < TIERS.length ? worth(TIERS[i + 1]) : 0));

const gainsForm: TruthForm<ReadonlyMap<string, number>> = {
  form: 'a mapping from id to what it adds, from 0 to 1',
  read(value) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value);
    const isSound = entries.every(([, gain]) => typeof gain === 'number' && gain >= 0 && gain <= 1);
    return isSound && entries.length > 0 ? new Map(entries) : undefined;
  },
};

export const marginalUtilityReward = defineReward({
  does: 'What the first 1, 2, 3, 5 and 8 elements of a ranking add to the score of an answer; 0 where an id is repeated or new.',
  options: options({
    column: text('gains').default('gains').describe('The column of a problem that maps each id to what it adds.'),
  }),
  create: ({ column }) =>
    comparing({
      name: 'marginal-utility',
      range: [0, 1],
      truth: gainsForm,
      column,
      score(answer, gains) {
        const list = readList(answer);
        if (!list.ok || list.elements.some((id) => !gains.has(id))) return 0;
        if (new Set(list.elements).size < list.elements.length) return 0;
        const scoreAt = (count: number): number =>
          Math.min(
            1,
            list.elements.slice(0, count).reduce((sum, id) => sum + (gains.get(id) ?? 0), 0),
          );
        return TIERS.reduce((sum, tier, i) => sum + WEIGHTS[i] * scoreAt(tier), 0);
      },
    }),
});
