/** Writes largest.jsonl beside it: 200 conversations about the largest of three numbers. `node examples/make_largest.mjs` */
import { writeFileSync } from 'node:fs';

// Random numbers of its own, so that the file is the same wherever it is made.
let state = 17;
const twoDigits = () => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return 10 + Math.floor((state / 2 ** 32) * 90);
};

const system = { role: 'system', content: 'Answer with a number.' };
const questions = new Map();
while (questions.size < 200) {
  const numbers = [twoDigits(), twoDigits(), twoDigits()];
  if (new Set(numbers).size === 3) questions.set(`Largest of ${numbers.join(', ')}?`, String(Math.max(...numbers)));
}
const rows = [...questions].map(([question, answer]) => ({
  messages: [system, { role: 'user', content: question }, { role: 'assistant', content: answer }],
}));
writeFileSync(new URL('largest.jsonl', import.meta.url), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
