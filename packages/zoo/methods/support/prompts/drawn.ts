/** Ways to draw from the source before, which several sources share. */
import type { TaskItem } from '../../../../../src/data/task.ts';
import { categoryOf, problemKey } from '../../../../../src/methods/ledger.ts';
import { type DrawItems, integer, key, type SourceTools, STARVED } from '../../kit.ts';

/** Problems that were drawn for some places. */
export interface Sifted {
  /** One for each place. */
  readonly items: readonly TaskItem[];
  /** Share of all drawn ones that was not wanted, in [0, 1]. */
  readonly unwanted: number;
  /** Share of the places that problems took which were not wanted, in [0, 1]. */
  readonly starved: number;
}

/**
 * Draws until there are `count` problems that are wanted, in `rounds` rounds at most; places that are then empty take
 * the last ones that were not.
 *
 * @param wanted  [items] of a round
 */
export async function drawWanted(
  count: number,
  draw: DrawItems,
  rounds: number,
  wanted: (items: readonly TaskItem[]) => Promise<readonly boolean[]>,
): Promise<Sifted> {
  const kept: TaskItem[] = [];
  const others: TaskItem[] = [];
  for (let round = 0; round < rounds && kept.length < count; round++) {
    const items = await draw(count - kept.length);
    const isWanted = await wanted(items);
    items.forEach((item, i) => {
      (isWanted[i] ? kept : others).push(item);
    });
  }
  const missing = count - kept.length;
  const items = missing === 0 ? kept : [...kept, ...others.slice(-missing)];
  const unwanted = others.length / Math.max(1, kept.length + others.length);
  return { items, unwanted, starved: missing / Math.max(1, count) };
}

/** Draws for each problem that is looked for, before a source is taken to have no further one. */
const MOST_DRAWS = 16;

/** The next `count` different problems; fewer where the source before seems to have no more. */
export async function drawDifferent(count: number, draw: DrawItems): Promise<readonly TaskItem[]> {
  const found = new Map<string, TaskItem>();
  for (let drawn = 0; found.size < count && drawn < MOST_DRAWS * count; ) {
    const items = await draw(count - found.size);
    for (const item of items) if (!found.has(problemKey(item))) found.set(problemKey(item), item);
    drawn += items.length;
  }
  return [...found.values()];
}

export const CATEGORY_DRAWS = key(
  'candidates',
  integer({ min: 1, max: 1024, example: 32 }).default(32).describe('Problems drawn at most to find one of a category.'),
);

/** The next problem of a category (a task of the run, at its level); the last that was drawn where none is found. */
export async function drawOf(category: string, draw: DrawItems, most: number): Promise<TaskItem> {
  let [item] = await draw(1);
  for (let drawn = 1; drawn < most && categoryOf(item) !== category; drawn++) {
    [item] = await draw(1);
  }
  return item;
}

/**
 * Problems of chosen categories; while fewer than two are known there is nothing to choose, and all are drawn as they come.
 *
 * @param choose  the category of the next place; undefined: as it comes
 * @param most  draws for one place
 */
export async function askAmong(
  known: readonly string[],
  count: number,
  draw: DrawItems,
  { choose, most, metric }: Pick<SourceTools, 'metric'> & { choose: () => string | undefined; most: number },
): Promise<readonly TaskItem[]> {
  const places = Array.from({ length: count }, () => (known.length < 2 ? undefined : choose()));
  const chosen = places.filter((category) => category !== undefined);
  const items = [...(await draw(count - chosen.length))];
  for (const category of chosen) items.push(await drawOf(category, draw, most));
  const missed = chosen.filter((category, i) => categoryOf(items[count - chosen.length + i]) !== category);
  metric(STARVED, missed.length / Math.max(1, count));
  metric('categories', known.length);
  for (const category of known.length > 1 ? known : []) {
    metric(`share/${category}`, items.filter((item) => categoryOf(item) === category).length / count);
  }
  return items;
}
