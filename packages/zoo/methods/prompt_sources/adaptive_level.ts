/**
 * Each task of the run is asked at one level, which moves with how often the policy solves it: up where it solves more than
 * `up`, down where it solves less than `down`. The average starts over with each move and must see `groups` groups of the new
 * level, so that a level between the two bounds stays: p̂ of the last level says nothing of this one. A task that is solved
 * more than `retired` at its highest level is asked no more while another is left. Levels are those that the run lists, as
 * `tasks: [{name: gcd, level: 0}, {name: gcd, level: 1}]`. After SCALER; thresholds are ours.
 */
import type { TaskItem } from '../../../../src/data/task.ts';
import { categoryOf } from '../../../../src/methods/ledger.ts';
import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { integer, type Json, key, keys, meanOf, method, number, type PromptSource, STARVED } from '../kit.ts';
import { AskedProblems } from '../support/prompts/asked.ts';
import { drawWanted } from '../support/prompts/drawn.ts';
import { placeOf } from '../support/prompts/levels.ts';
import { taskChoice } from '../uses/task_choice.ts';

/** Rounds of drawing for the problems of a batch. */
const ROUNDS = 32;

/** One task over its levels. */
interface Ladder {
  /** Known levels, lowest first. */
  readonly levels: readonly number[];
  readonly level: number;
  /** Moves so far: before the first, the lowest known level is the one that is asked. */
  readonly moves: number;
  /** Moving share of right completions at this level, and the groups that it is of. */
  readonly solved: number;
  readonly groups: number;
  readonly isRetired: boolean;
}

export const adaptiveLevel = method({
  id: 'adaptive-level',
  about: {
    does: 'Moves each task of the run up and down its levels by how often it is solved.',
    names: ['SCALER', 'adaptive difficulty', 'level by solve rate'],
    formula:
      'p̄ ← p̄ + newest·(p − p̄) at the level; level + 1 where p̄ > up, level − 1 where p̄ < down, then p̄ starts over',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    up: number({ min: 0, max: 1, example: 0.75 })
      .default(0.75)
      .describe('Share of right completions above which the next level is asked.'),
    down: number({ min: 0, max: 1, example: 0.25 })
      .default(0.25)
      .describe('Share below which the level before is asked.'),
    newest: number({ above: 0, max: 1, example: 0.2 })
      .default(0.2)
      .describe('Weight of the newest group in the moving share.'),
    levelGroups: key(
      'groups',
      integer({ min: 1, max: 10_000, example: 8 })
        .default(8)
        .describe('Groups of a level, at least, before the level moves.'),
    ),
    retired: number({ min: 0, max: 1, example: 0.9 })
      .default(1)
      .describe(
        'A task solved more often at its highest level is left out while another is there. Default {default}: none.',
      ),
  }),
  complete(options, refuse) {
    if (options.down >= options.up) refuse('down', `not below up (${options.up}); lower it`);
    return options;
  },
  uses: () => [ledger({ history: true }), taskChoice],
  create: ({ up, down, newest, levelGroups, retired }): PromptSource => {
    const waiting = new AskedProblems();
    let ladders = new Map<string, Ladder>();

    const meet = (item: TaskItem): void => {
      const [family, level] = placeOf(categoryOf(item));
      const known = ladders.get(family);
      if (known?.levels.includes(level)) return;
      const levels = [...(known?.levels ?? []), level].sort((a, b) => a - b);
      const fresh = { level, moves: 0, solved: 0, groups: 0, isRetired: false, ...known, levels };
      ladders.set(family, { ...fresh, level: fresh.moves === 0 ? levels[0] : fresh.level });
    };
    const learn = (category: string, shares: readonly number[]): void => {
      const [family, level] = placeOf(category);
      const ladder = ladders.get(family);
      if (ladder === undefined || ladder.level !== level) return; // of a level that it has left
      let { solved, groups } = ladder;
      for (const share of shares) solved = groups++ === 0 ? share : solved + newest * (share - solved);
      const at = ladder.levels.indexOf(level);
      const step = groups < levelGroups ? 0 : solved > up ? 1 : solved < down ? -1 : 0;
      const next = ladder.levels[at + step];
      if (next !== undefined && next !== level) {
        ladders.set(family, { ...ladder, level: next, moves: ladder.moves + 1, solved: 0, groups: 0 });
      } else {
        const isRetired = groups >= levelGroups && step === 1 && solved > retired;
        ladders.set(family, { ...ladder, solved, groups, isRetired });
      }
    };
    return {
      async next(count, draw, { ledger, metric }) {
        for (const [category, shares] of waiting.read(ledger)) learn(category, shares);
        const isLeft = [...ladders.values()].some(({ isRetired }) => !isRetired);
        const { items, starved } = await drawWanted(count, draw, ROUNDS, async (drawn) => {
          for (const item of drawn) meet(item);
          return drawn.map((item) => {
            const [family, level] = placeOf(categoryOf(item));
            const ladder = ladders.get(family);
            return ladder?.level === level && !(ladder.isRetired && isLeft);
          });
        });
        waiting.add(items, ledger);
        metric(STARVED, starved);
        for (const [family, { level }] of ladders) metric(`level/${family}`, level);
        metric('level', meanOf([...ladders.values()].map(({ level }) => level)));
        return items;
      },
      state: () => ({ asked: waiting.state(), ladders: [...ladders] as unknown as Json }), // plain data
      restore(state) {
        const kept = state as { asked: Json; ladders: readonly (readonly [string, Ladder])[] }; // written by `state`
        waiting.restore(kept.asked);
        ladders = new Map(kept.ladders);
      },
    };
  },
});
