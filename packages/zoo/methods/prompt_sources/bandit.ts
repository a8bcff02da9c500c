/**
 * Takes the tasks and levels of a run for the arms of a bandit. The gain of a problem is how much its group teaches,
 * p·(1 − p), or how far the share of its category has moved; each place goes to the category of the highest mean gain,
 * and of a bonus for what was seldom asked (UCB). What was seen before counts less and less, since a policy that learns
 * changes what it can learn from. Some places stay as the run mixes them, so that new categories are met.
 *
 *   N_k ← d·N_k + n_k,   S_k ← d·S_k + Σ gains,   score_k = S_k/N_k + c·√(ln(1 + Σ_j N_j)/N_k)
 *
 * Places given within a batch count in N at once, without a gain, so that a batch is spread.
 */
import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { choice, type Json, keys, meanOf, method, number, type PromptSource } from '../kit.ts';
import { AskedProblems } from '../support/prompts/asked.ts';
import { askAmong, CATEGORY_DRAWS } from '../support/prompts/drawn.ts';
import { taskChoice } from '../uses/task_choice.ts';

/** Weight of the newest groups in the moving share of a category. */
const NEWEST = 0.5;

interface Arm {
  /** Problems and their gains, those of long ago counted less. */
  readonly asked: number;
  readonly gains: number;
  /** Moving share that was right. */
  readonly solved: number;
}

export const bandit = method({
  id: 'bandit',
  about: {
    does: 'Chooses among tasks and levels as a bandit does, by how much their groups teach.',
    names: ['UCB'],
    formula:
      'argmax_k S_k/N_k + c·√(ln(1 + ΣN)/N_k), S the gains p·(1 − p) or |Δp|, N the problems asked, both discounted',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    gain: choice(['learnable', 'progress'], 'not a gain')
      .default('learnable')
      .describe(
        'What a problem gains: p·(1 − p) of its group (learnable), or how far the share of its category has moved (progress).',
      ),
    bonus: number({ min: 0, example: 0.1 })
      .default(0.1)
      .describe('Weight of the bonus for what was seldom asked; 0 is none.'),
    discount: number({ above: 0, max: 1, example: 0.95 })
      .default(0.95)
      .describe('What earlier problems count for, each time that new ones are seen; 1 forgets nothing.'),
    floor: number({ above: 0, max: 1, example: 0.1 })
      .default(0.1)
      .describe('Share of the places that the mix of the run keeps.'),
    banditDraws: CATEGORY_DRAWS,
  }),
  uses: () => [ledger({ history: true }), taskChoice],
  create: ({ gain, bonus, discount, floor, banditDraws }): PromptSource => {
    const waiting = new AskedProblems();
    let arms = new Map<string, Arm>();
    const learn = (seen: ReadonlyMap<string, readonly number[]>): void => {
      if (seen.size === 0) return;
      for (const [category, { asked, gains, solved }] of arms) {
        arms.set(category, { asked: discount * asked, gains: discount * gains, solved });
      }
      for (const [category, shares] of seen) {
        const share = meanOf(shares);
        const { asked, gains, solved } = arms.get(category) ?? { asked: 0, gains: 0, solved: share };
        const change = share - solved;
        const gained =
          gain === 'learnable' ? shares.reduce((sum, p) => sum + p * (1 - p), 0) : shares.length * Math.abs(change);
        arms.set(category, {
          asked: asked + shares.length,
          gains: gains + gained,
          solved: solved + NEWEST * change,
        });
      }
    };
    return {
      async next(count, draw, { ledger, rng, metric }) {
        learn(waiting.read(ledger));
        const categories = [...arms.keys()];
        const given = categories.map(() => 0);
        const choose = (): string | undefined => {
          if (rng.float() < floor) return undefined;
          const best = bestArm([...arms.values()], given, bonus);
          given[best]++;
          return categories[best];
        };
        const items = await askAmong(categories, count, draw, { choose, most: banditDraws, metric });
        waiting.add(items, ledger);
        return items;
      },
      state: () => ({ asked: waiting.state(), arms: [...arms] as unknown as Json }), // plain data
      restore(state) {
        const kept = state as { asked: Json; arms: readonly (readonly [string, Arm])[] }; // written by `state`
        waiting.restore(kept.asked);
        arms = new Map(kept.arms);
      },
    };
  },
});

/** The place of the highest score; of equal ones, the first. @param given  [arms] places of this batch that each has */
export function bestArm(
  arms: readonly Pick<Arm, 'asked' | 'gains'>[],
  given: readonly number[],
  bonus: number,
): number {
  const counts = arms.map(({ asked }, k) => asked + given[k]);
  const all = Math.log1p(counts.reduce((sum, count) => sum + count, 0));
  const scores = arms.map(({ asked, gains }, k) => gains / asked + bonus * Math.sqrt(all / counts[k]));
  return scores.indexOf(Math.max(...scores));
}
