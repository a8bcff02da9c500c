/**
 * Asks most of the tasks and levels whose right answers pull the weights the way that those of a target do: every few
 * batches the gradient of each category's likelihood is compared with the target's, on a slice of the parameters, and
 * its weight grows with their cosine. V-Pretraining and Inf-DDS weigh data sets so; there they are pretraining data,
 * here the problems of a run. A gradient is that of the mean log-likelihood of right answers to `problems` problems.
 * The target's own problems are halved: one half is what others are compared with, the other is its own g_k. All are
 * problems of training, and none of them is asked for it.
 */
import type { TaskItem } from '../../../../src/data/task.ts';
import { categoryOf } from '../../../../src/methods/ledger.ts';
import { integer, keys, method, number, type PromptSource, type SourceTools, text } from '../kit.ts';
import { askAmong, CATEGORY_DRAWS } from '../support/prompts/drawn.ts';
import { solutionGradients } from '../uses/solution_gradients.ts';
import { taskChoice } from '../uses/task_choice.ts';

/** `Rng.weighted` takes whole numbers. */
const PARTS = 1_000_000;

export const mixtureInfluence = method({
  id: 'mixture-influence',
  about: {
    does: 'Asks more of the tasks and levels whose gradient agrees with that of a target.',
    names: ['V-Pretraining', 'Inf-DDS', 'influence', 'gradient alignment'],
    formula: 'chance of k: floor·(its share of the mix) + (1 − floor)·w_k, w_k ← w_k·exp(η·cos(g_k, g_target))/Z',
    source: 'own',
    certainty: 'own',
    when: 'For several tasks where a few of them are the goal; each estimate costs backward passes.',
  },
  options: keys({
    target: text('countdown').describe('The task that is to be learned, by its name or label among tasks.'),
    influenceRate: number({ min: 0, example: 1 }).default(1).describe('η: 0 leaves the weights alone.'),
    every: integer({ min: 1, max: 100_000, example: 10 })
      .default(10)
      .describe('Batches from one look at the gradients to the next.'),
    problems: integer({ min: 2, max: 4096, example: 16 })
      .default(16)
      .describe('Problems of each category whose right answers a gradient is of, at most.'),
    floor: number({ above: 0, max: 1, example: 0.2 })
      .default(0.2)
      .describe('Share of the places that the mix of the run keeps.'),
    influenceDraws: CATEGORY_DRAWS,
  }),
  uses: () => [solutionGradients, taskChoice],
  create: (options): PromptSource => {
    const { target, influenceRate, every, problems, floor, influenceDraws } = options;
    let weights = new Map<string, number>();
    let batches = 0;

    /** Multiplies each weight by how far its gradient agrees with the target's. */
    async function look(drawn: ReadonlyMap<string, readonly TaskItem[]>, tools: SourceTools): Promise<void> {
      const [goal, ...others] = halved(drawn, target);
      if (goal === undefined) return;
      const towards = await tools.solutionGradient(goal[1]);
      const cosines = new Map<string, number>();
      for (const [category, items] of others) {
        cosines.set(category, cosine(await tools.solutionGradient(items), towards));
      }
      const grown = [...cosines].map(
        ([category, cos]) => [category, (weights.get(category) ?? 1) * Math.exp(influenceRate * cos)] as const,
      );
      const mean = grown.reduce((sum, [, weight]) => sum + weight, 0) / Math.max(1, grown.length);
      weights = new Map(grown.map(([category, weight]) => [category, weight / mean]));
      for (const [category, cos] of cosines) tools.metric(`cosine/${category}`, cos);
    }

    return {
      async next(count, draw, tools) {
        const { rng, metric } = tools;
        if (influenceRate > 0 && batches++ % every === 0) {
          const drawn = new Map<string, TaskItem[]>();
          for (const item of await draw(influenceDraws * problems)) {
            const own = drawn.get(categoryOf(item)) ?? [];
            if (own.length < problems) drawn.set(categoryOf(item), [...own, item]);
          }
          await look(drawn, tools);
        }
        if (influenceRate === 0) return draw(count);
        const categories = [...weights.keys()];
        const shares = [...weights.values()].map((weight) => Math.round((PARTS * weight) / weights.size));
        const choose = () =>
          categories.length === 0 || rng.float() < floor ? undefined : categories[rng.weighted(shares)];
        return askAmong(categories, count, draw, { choose, most: influenceDraws, metric });
      },
      state: () => ({ weights: [...weights], batches }),
      restore(state) {
        const kept = state as { readonly weights: [string, number][]; readonly batches: number }; // written by `state`
        weights = new Map(kept.weights);
        batches = kept.batches;
      },
    };
  },
});

/** The target's first half under its name, then every category, the target's with the other half; none where it has no two problems. */
function halved(
  drawn: ReadonlyMap<string, readonly TaskItem[]>,
  target: string,
): readonly (readonly [string, readonly TaskItem[]])[] {
  const isTarget = ({ task = '' }: TaskItem): boolean => task === target || task.startsWith(`${target}#`);
  const own = [...drawn.values()].flat().filter(isTarget);
  if (own.length < 2) return [];
  const goal = own.filter((_, i) => i % 2 === 0);
  const rest = [...drawn].map(([category, items]) => [category, items.filter((item) => !goal.includes(item))] as const);
  return [[target, goal], ...rest.filter(([, items]) => items.length > 0)];
}

/** 0 where one of them is. */
function cosine(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * y[i], 0);
  const norms = Math.sqrt(product(a, a) * product(b, b));
  return norms === 0 ? 0 : product(a, b) / norms;
}
