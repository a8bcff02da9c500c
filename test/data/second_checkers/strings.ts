/** The tasks of strings, decided from their prompts. */
import type { SecondChecker } from '../../../src/data/index.ts';
import { asked, bare } from './notation.ts';

export const STRINGS: Readonly<Record<string, SecondChecker>> = {
  copy: ({ prompt }, answer) => `copy ${bare(answer)}>` === prompt,

  parity({ prompt }, answer) {
    const [bits = ''] = asked(prompt, /^par ([01]+)>$/);
    let odd = 0;
    for (const bit of bits) if (bit === '1') odd = 1 - odd;
    return bare(answer) === String(odd);
  },
};
