/** The tasks of plans, decided from their prompts by carrying plans out. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare } from './notation.ts';

/** Two-character pieces, separated in one way. */
function pairs(answer: string): string[] | undefined {
  const text = bare(answer);
  if (text.length > 4096) return undefined;
  const match = /^(..)(?:( |, ?)..(?:\2..)*)?$/.exec(text);
  return match === null ? undefined : match[2] === undefined ? [text] : text.split(match[2]);
}

export const PLANS: Readonly<Record<string, SecondChecker>> = {
  tower_of_hanoi({ prompt }, answer) {
    const [pegs = '', disks = '', goal = ''] = asked(prompt, /^hanoi ([A-D]+): ([A-D]+) ([A-D])>$/);
    const moves = pairs(answer);
    if (moves === undefined || moves.length > 2 * 2 ** disks.length) return false;
    const stacks = new Map([...pegs].map((peg): [string, number[]] => [peg, []]));
    for (let size = disks.length - 1; size >= 0; size--) stacks.get(disks[size] as string)?.push(size);
    const isDone = (): boolean => stacks.get(goal)?.length === disks.length;
    for (const [from = '', to = ''] of moves) {
      const [source, target] = [stacks.get(from), stacks.get(to)];
      if (isDone() || source === undefined || target === undefined || source === target) return false;
      const disk = source.pop();
      if (disk === undefined || disk > (target.at(-1) ?? disks.length)) return false;
      target.push(disk);
    }
    return isDone();
  },

  lights_out({ prompt }, answer) {
    const rows = (asked(prompt, /^lights ([01/]+)>$/)[0] as string).split('/');
    const cells = pairs(answer);
    if (cells === undefined || new Set(cells).size < cells.length) return false;
    const known = rows.flatMap((row, y) => [...row].map((_, x) => `${y + 1}${x + 1}`));
    if (!cells.every((cell) => known.includes(cell))) return false;
    // A light is off behind it where it and its neighbours are pressed as often as it was on, up to a multiple of two.
    return known.every((name) => {
      const [y, x] = [Number(name[0]), Number(name[1])];
      const near = [`${y}${x}`, `${y - 1}${x}`, `${y + 1}${x}`, `${y}${x - 1}`, `${y}${x + 1}`];
      const changes = cells.filter((cell) => near.includes(cell)).length;
      return changes % 2 === Number(rows[y - 1]?.[x - 1]);
    });
  },
};
