/** The seeds that `--seeds` names. */

const MOST_SEED = 2 ** 32 - 1;
const MOST_RUNS = 1000;
const FORM = 'give whole numbers from 0 to 4294967295, such as 0..4 or 0,3,7';

/** `0..4`, `0,3,7`, `0..2,7`: the seeds in their order. @throws RangeError with `what; remedy` */
export function parseSeeds(text: string): number[] {
  const seeds = text.split(',').flatMap((part) => {
    const [, first, last = first] = /^\s*(\d+)\s*(?:\.\.\s*(\d+)\s*)?$/.exec(part) ?? [];
    if (first === undefined) throw new RangeError(`"${part.trim()}" is no seed and no range; ${FORM}`);
    const [from, to] = [Number(first), Number(last)];
    if (from > to) throw new RangeError(`${part.trim()} runs backwards; give ${to}..${from}`);
    if (to > MOST_SEED) throw new RangeError(`${to} is too large for a seed; ${FORM}`);
    if (to - from >= MOST_RUNS) throw new RangeError(`${part.trim()} is more than ${MOST_RUNS} runs; give fewer`);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
  const twice = seeds.find((seed, i) => seeds.indexOf(seed) !== i);
  if (twice !== undefined) throw new RangeError(`seed ${twice} is named twice; name it once`);
  if (seeds.length > MOST_RUNS) throw new RangeError(`${seeds.length} are more than ${MOST_RUNS} runs; give fewer`);
  return seeds;
}
