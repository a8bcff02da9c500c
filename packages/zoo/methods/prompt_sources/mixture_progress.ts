/**
 * Asks most of the tasks and levels at which the share of right completions is moving, up or down: there is nothing to
 * learn where it does not move, at the top or at the bottom. A part of the places stays as the run mixes them, so that
 * no category is lost, and new ones are met. As in Birdie, arXiv:2411.01030.
 *
 *   Δ_k = p_k − p̂_k,   p̂_k ← p̂_k + α·Δ_k,   g_k ← g_k + α·(Δ_k − g_k)      p_k: of the groups since it was last looked at
 */
import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { type Json, keys, meanOf, method, number, type PromptSource } from '../kit.ts';
import { AskedProblems } from '../support/prompts/asked.ts';
import { askAmong, CATEGORY_DRAWS } from '../support/prompts/drawn.ts';
import { taskChoice } from '../uses/task_choice.ts';

/** `Rng.weighted` takes whole numbers. */
const PARTS = 1_000_000;

interface Progress {
  readonly solved: number;
  readonly change: number;
}

export const mixtureProgress = method({
  id: 'mixture-progress',
  about: {
    does: 'Asks more of the tasks and levels at which the share of right completions is changing.',
    names: ['Birdie', 'learning progress'],
    formula: 'chance of k: floor·(its share of the mix) + (1 − floor)·softmax_k(|g_k|/T), g the moving average of Δp',
    source: '2411.01030',
    certainty: 'after the paper',
    when: 'For several tasks that are learned at different times; noisy where a task gets few problems in a batch.',
  },
  options: keys({
    floor: number({ above: 0, max: 1, example: 0.2 })
      .default(0.2)
      .describe('Share of the places that the mix of the run keeps.'),
    temperature: number({ above: 0, example: 0.05 })
      .default(0.05)
      .describe('How much more progress it takes to be asked e times as often.'),
    newest: number({ above: 0, max: 1, example: 0.2 })
      .default(0.2)
      .describe('Weight of what was seen last in the moving averages.'),
    progressDraws: CATEGORY_DRAWS,
  }),
  uses: () => [ledger({ history: true }), taskChoice],
  create: ({ floor, temperature, newest, progressDraws }): PromptSource => {
    const asked = new AskedProblems();
    let progress = new Map<string, Progress>();
    return {
      async next(count, draw, { ledger, rng, metric }) {
        for (const [category, shares] of asked.read(ledger)) {
          progress.set(category, movedOn(progress.get(category), meanOf(shares), newest));
        }
        const categories = [...progress.keys()];
        const chances = softmax([...progress.values()].map(({ change }) => Math.abs(change) / temperature));
        const weights = chances.map((chance) => Math.round(PARTS * chance));
        const choose = () => (rng.float() < floor ? undefined : categories[rng.weighted(weights)]);
        const items = await askAmong(categories, count, draw, { choose, most: progressDraws, metric });
        asked.add(items, ledger);
        return items;
      },
      state: () => ({ asked: asked.state(), progress: [...progress] as unknown as Json }), // plain data
      restore(state) {
        const kept = state as { asked: Json; progress: readonly (readonly [string, Progress])[] }; // written by `state`
        asked.restore(kept.asked);
        progress = new Map(kept.progress);
      },
    };
  },
});

function movedOn(before: Progress | undefined, solved: number, newest: number): Progress {
  if (before === undefined) return { solved, change: 0 };
  const change = solved - before.solved;
  return {
    solved: before.solved + newest * change,
    change: before.change + newest * (change - before.change),
  };
}

function softmax(values: readonly number[]): readonly number[] {
  const most = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - most));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}
