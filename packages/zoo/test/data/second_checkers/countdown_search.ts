/** Searches of countdown, decided by a stack of pools: what follows the hit, or undefined for what is no search. */

/** What a pair gives, in the order + - * /, as words. */
function ofPair(high: number, low: number): [operator: string, result: number][] {
  const all: [string, number][] = [
    ['+', high + low],
    ['-', high - low],
    ['*', high * low],
    ['/', high / low],
  ];
  return all.filter(([, result]) => result === Math.floor(result) && result > 0 && result < 100);
}

function without(pool: readonly number[], values: readonly number[]): number[] | undefined {
  const rest = [...pool];
  for (const value of values) {
    const place = rest.indexOf(value);
    if (place < 0) return undefined;
    rest.splice(place, 1);
  }
  return rest;
}

/** @param answer  without what surrounds it */
export function afterSearch(
  answer: string,
  numbers: readonly number[],
  target: number,
  { listed, restate = true }: Readonly<Record<string, unknown>>,
): string | undefined {
  const words = answer.length > 16_384 ? [] : answer.split(' ').reverse();
  const next = (word: string): boolean => {
    if (words.at(-1) !== word) return false;
    words.pop();
    return true;
  };
  const stack: (readonly number[])[] = [numbers];
  let pair = numbers.length === 2 ? numbers : undefined;
  for (;;) {
    if (pair === undefined) {
      const [left = '', operator, right = '', equals, result = ''] = words.splice(-5).reverse();
      if (![left, right, result].every((word) => /^[1-9][0-9]?$/.test(word)) || equals !== '=') return undefined;
      const [high, low, value] = [Number(left), Number(right), Number(result)];
      const rest = without(stack.at(-1) ?? [], [high, low]);
      const isTrue = high >= low && ofPair(high, low).some(([sign, is]) => sign === operator && is === value);
      if (rest === undefined || !isTrue) return undefined;
      const pool = [value, ...rest];
      if (restate === true && (pool.length > 2 || listed !== 'nothing')) {
        const left = words.splice(-rest.length);
        if (left.sort().join() !== rest.map(String).sort().join()) return undefined;
      }
      if (pool.length > 2) {
        if (!next('(')) return undefined;
        stack.push(pool);
        continue;
      }
      pair = pool;
    }
    const [low = 0, high = 0] = [...pair].sort((a, b) => a - b);
    const results = ofPair(high, low);
    const hit = results.findIndex(([, value]) => value === target);
    if (listed !== 'nothing') {
      if (!next(':')) return undefined;
      for (const [operator, value] of hit < 0 ? results : results.slice(0, hit + 1)) {
        const shown = listed === 'steps' ? [high, operator, low, '=', value] : [value];
        for (const word of shown) if (!next(String(word))) return undefined;
      }
    }
    if (hit >= 0) return next('y') && next(',') ? words.reverse().join(' ') : undefined;
    if (!next('n')) return undefined;
    while (next(')')) {
      stack.pop();
      if (stack.length === 0) return undefined;
    }
    if (stack.length === 0 || !next(',')) return undefined;
    if (numbers.length === 2) return undefined;
    pair = undefined;
  }
}
