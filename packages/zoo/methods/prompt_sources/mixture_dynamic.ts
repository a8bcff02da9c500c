import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { integer, type Json, keys, meanOf, method, number, type PromptSource } from '../kit.ts';
import { AskedProblems } from '../support/prompts/asked.ts';
import { askAmong, CATEGORY_DRAWS } from '../support/prompts/drawn.ts';
import { Movements } from '../support/prompts/movement.ts';
import { taskChoice } from '../uses/task_choice.ts';

/** `Rng.weighted` takes whole numbers. */
const PARTS = 1_000_000;

/** Rewards are weighed alike by `dynamic-weights`. The exact form of RECAP is not public; this one is ours. */
export const mixtureDynamic = method({
  id: 'mixture-dynamic',
  about: {
    does: 'Asks more of the tasks and levels whose share of right completions still moves or swings.',
    names: ['RECAP'],
    formula:
      'chance of k: floor·(its share of the mix) + (1 − floor)·softmax_k((|p̄_new − p̄_old| + std p/p̄)/T), over the last `window` batches',
    source: 'own',
    certainty: 'own',
    when: 'For several tasks of which some have stopped moving; with one task and one level it does nothing.',
  },
  options: keys({
    floor: number({ above: 0, max: 1, example: 0.2 })
      .default(0.2)
      .describe('Share of the places that the mix of the run keeps.'),
    temperature: number({ above: 0, example: 0.2 })
      .default(0.2)
      .describe('How much more movement it takes to be asked e times as often.'),
    window: integer({ min: 2, max: 1000, example: 8 }).default(8).describe('Batches that are looked back on.'),
    dynamicDraws: CATEGORY_DRAWS,
  }),
  uses: () => [ledger({ history: true }), taskChoice],
  create: ({ floor, temperature, window, dynamicDraws }): PromptSource => {
    const asked = new AskedProblems();
    const movements = new Movements(window);
    return {
      async next(count, draw, { ledger, rng, metric }) {
        for (const [category, shares] of asked.read(ledger)) movements.add(category, meanOf(shares));
        const categories = movements.names;
        const weights = movements.shares(categories, temperature).map((share) => Math.round(PARTS * share));
        const choose = () => (rng.float() < floor ? undefined : categories[rng.weighted(weights)]);
        const items = await askAmong(categories, count, draw, { choose, most: dynamicDraws, metric });
        asked.add(items, ledger);
        return items;
      },
      state: () => ({ asked: asked.state(), movements: movements.state() }),
      restore(state) {
        const kept = state as { asked: Json; movements: Json }; // written by `state`
        asked.restore(kept.asked);
        movements.restore(kept.movements);
      },
    };
  },
});
