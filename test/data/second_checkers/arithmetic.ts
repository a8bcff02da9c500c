/** The tasks of arithmetic, decided from their prompts by counting and trying. */
import type { SecondChecker } from '../../../src/data/index.ts';
import { asked, wholeNumber } from './notation.ts';

export const ARITHMETIC: Readonly<Record<string, SecondChecker>> = {
  gcd({ prompt }, answer) {
    const numbers = asked(prompt, /^gcd ([0-9 ]+)>$/)[0]
      ?.split(' ')
      .map(Number) as number[];
    let divisor = Math.min(...numbers);
    while (numbers.some((number) => number % divisor !== 0)) divisor--;
    return wholeNumber(answer) === BigInt(divisor);
  },
};
