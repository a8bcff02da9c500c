/**
 * The task's generator makes the new problems, so that their answers are known; in CLPO, arXiv:2509.25004, the policy
 * rewrites them. Levels are those that the run lists, as `tasks: [{name: gcd, level: 0}, {name: gcd, level: 1}]`.
 */
import type { TaskItem } from '../../../../src/data/task.ts';
import { categoryOf } from '../../../../src/methods/ledger.ts';
import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { type Json, key, method, number, type PromptSource, STARVED } from '../kit.ts';
import { AskedProblems } from '../support/prompts/asked.ts';
import { CATEGORY_DRAWS, drawOf } from '../support/prompts/drawn.ts';
import { placeOf } from '../support/prompts/levels.ts';
import { taskChoice } from '../uses/task_choice.ts';

/** Problems that wait to be asked; beyond, the oldest are forgotten. */
const WAITING = 4096;

export const bands = method({
  id: 'bands',
  about: {
    does: 'Asks a simpler problem where one was hard, another like it where it was middling, and drops easy ones.',
    names: ['CLPO', 'simplify and diversify'],
    formula:
      'p̂ ≤ low: one of the level below; low < p̂ < high: one of the same level; p̂ ≥ high: none; else as the run mixes them',
    source: '2509.25004',
    certainty: 'after the paper',
    when: 'For tasks with levels whose difficulty varies between problems; with a single level it only drops what is easy.',
  },
  options: {
    hardBand: key(
      'low',
      number({ min: 0, max: 1, example: 0.25 })
        .default(0.25)
        .describe('Largest share of right completions of a hard problem.'),
    ),
    easyBand: key(
      'high',
      number({ min: 0, max: 1, example: 0.75 }).default(0.75).describe('Least share of an easy one.'),
    ),
    bandsShare: key(
      'share',
      number({ min: 0, max: 1, example: 0.5 })
        .default(0.5)
        .describe('Share of the places, at most, that these problems take.'),
    ),
    bandsDraws: CATEGORY_DRAWS,
  },
  complete(options, refuse) {
    if (options.hardBand > options.easyBand) refuse('hardBand', `above high (${options.easyBand}); lower it`);
    return options;
  },
  uses: () => [ledger({ history: true }), taskChoice],
  create: ({ hardBand, easyBand, bandsShare, bandsDraws }): PromptSource => {
    const asked = new AskedProblems();
    let due: string[] = [];
    let known = new Set<string>();
    const below = (category: string): string => {
      const [family, level] = placeOf(category);
      const lower = [...known].filter((other) => placeOf(other)[0] === family && placeOf(other)[1] < level);
      return lower.sort((a, b) => placeOf(b)[1] - placeOf(a)[1])[0] ?? category;
    };
    return {
      async next(count, draw, { ledger, metric }) {
        const seen = { hard: 0, middle: 0, easy: 0 };
        for (const [category, shares] of asked.read(ledger)) {
          for (const share of shares) {
            if (share <= hardBand) due.push(below(category));
            else if (share < easyBand) due.push(category);
            seen[share <= hardBand ? 'hard' : share < easyBand ? 'middle' : 'easy']++;
          }
        }
        const places = Math.min(due.length, Math.floor(bandsShare * count));
        const chosen = due.slice(0, places);
        due = due.slice(places).slice(-WAITING);
        const items: TaskItem[] = [...(await draw(count - places))];
        for (const category of chosen) items.push(await drawOf(category, draw, bandsDraws));
        const missed = chosen.filter((category, i) => categoryOf(items[count - places + i]) !== category).length;
        known = new Set([...known, ...items.map(categoryOf)]);
        asked.add(items, ledger);
        metric(STARVED, missed / Math.max(1, count));
        metric('share', places / Math.max(1, count));
        for (const [band, groups] of Object.entries(seen)) metric(band, groups);
        return items;
      },
      state: () => ({ asked: asked.state(), due, known: [...known] }),
      restore(state) {
        const kept = state as { asked: Json; due: string[]; known: readonly string[] }; // written by `state`
        asked.restore(kept.asked);
        due = [...kept.due];
        known = new Set(kept.known);
      },
    };
  },
});
