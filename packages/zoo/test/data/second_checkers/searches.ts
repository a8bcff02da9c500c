/** The tasks whose answers search, decided from their prompts by walking along the answer with a stack. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare } from './notation.ts';

/** What becomes of a way after a move: it is a hit, it is dead, or it leads on; undefined: there is no such move. */
type After = (way: readonly string[], move: string) => 'y' | 'n' | '(' | undefined;

/** What follows the hit of a search; undefined where a word of it is wrong. @param size  words of a move */
function afterHit(answer: string, size: number, after: After): string | undefined {
  const words = bare(answer).split(' ');
  if (bare(answer).length > 16_384) return undefined;
  const way: string[] = [];
  for (let at = 0; ; ) {
    const move = words.slice(at, at + size).join(' ');
    const mark = after(way, move);
    if (mark === undefined || words[at + size] !== mark) return undefined;
    at += size + 1;
    if (mark === '(') {
      way.push(move);
      continue;
    }
    if (mark === 'n') {
      for (; words[at] === ')'; at++) if (way.pop() === undefined) return undefined;
    }
    if (words[at] !== ',') return undefined;
    at++;
    if (mark === 'y') return words.slice(at).join(' ');
  }
}

export const SEARCHES: Readonly<Record<string, SecondChecker>> = {
  star_search({ prompt, knobs }, answer) {
    const [edges = '', middle = '', end = ''] = asked(prompt, /^([0-9 ,]+) : ([0-9]+) ([0-9]+) \?$/);
    const beyond = new Map<string, string[]>();
    for (const edge of edges.split(' , ')) {
      const [from = '', to = ''] = edge.split(' ');
      beyond.set(from, [...(beyond.get(from) ?? []), to]);
    }
    const after: After = (way, move) => {
      if (!beyond.get(way.at(-1) ?? middle)?.includes(move)) return undefined;
      return move === end ? 'y' : beyond.has(move) ? '(' : 'n';
    };
    const found = bare((knobs.search ? afterHit(answer, 1, after) : answer) ?? '').split(' ');
    const isJoined = found.every((node, i) => i === 0 || beyond.get(found[i - 1] as string)?.includes(node));
    return isJoined && found[0] === middle && found.at(-1) === end;
  },

  sudoku_search({ prompt, knobs }, answer) {
    const cells = (asked(prompt, /^([1-4_ ]+) \?$/)[0] as string).split(' ');
    const open = cells.flatMap((cell, place) => (cell === '_' ? [place] : []));
    const groups = [0, 1, 2, 3].flatMap((k) => [
      [0, 1, 2, 3].map((i) => 4 * k + i),
      [0, 1, 2, 3].map((i) => 4 * i + k),
      [0, 1, 4, 5].map((i) => i + 2 * (k % 2) + 8 * Math.floor(k / 2)),
    ]);
    const isSound = (digits: readonly string[]): boolean => {
      const filled = [...cells];
      for (const [i, digit] of digits.entries()) filled[open[i] as number] = digit;
      return groups.every((group) => {
        const there = group.map((place) => filled[place]).filter((digit) => digit !== '_');
        return new Set(there).size === there.length;
      });
    };
    const after: After = (way, move) => {
      const place = open[way.length];
      const match = /^([a-d])([1-4]) ([1-4])$/.exec(move);
      if (place === undefined || match === null) return undefined;
      if (4 * 'abcd'.indexOf(match[1] as string) + Number(match[2]) - 1 !== place) return undefined;
      if (!isSound([...way, move].map((one) => one.slice(-1)))) return 'n';
      return way.length === open.length - 1 ? 'y' : '(';
    };
    const found = bare((knobs.search ? afterHit(answer, 2, after) : answer) ?? '').split(' ');
    return found.length === open.length && found.every((digit) => /^[1-4]$/.test(digit)) && isSound(found);
  },
};
