/** Writes questions.jsonl beside it: 200 questions about the order of three letters. `node examples/make_questions.mjs` */
import { writeFileSync } from 'node:fs';

const LETTERS = [...'abcdef'];
const words = LETTERS.flatMap((a) => LETTERS.flatMap((b) => LETTERS.map((c) => a + b + c)));

// A fixed shuffle, so that the file is the same wherever it is made.
let state = 7;
const below = (count) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return Math.floor((state / 2 ** 32) * count);
};
for (let last = words.length - 1; last > 0; last--) {
  const other = below(last + 1);
  [words[last], words[other]] = [words[other], words[last]];
}

const rows = words.slice(0, 200).map((word) => ({
  question: `Sort ${word}:`,
  answer: [...word].sort().join(''),
  letters: new Set(word).size,
}));
writeFileSync(new URL('questions.jsonl', import.meta.url), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
