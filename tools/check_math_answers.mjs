/**
 * `node tools/check_math_answers.mjs PAIRS.jsonl`, after a build: how often `verify: math` agrees with the labels of pairs that
 * test/golden/make_math_answers.py wrote. A pair of which a side cannot be read counts as not the same.
 */
import { readFileSync } from 'node:fs';
import { isSameMath, readMathAnswer } from '../build/src/parsing/math_answer.js';

const [, , path] = process.argv;
const pairs = readFileSync(path, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const counts = { same: 0, other: 0, missed: 0, accepted: 0, unread: 0 };
const shown = [];
for (const [a, b, label] of pairs) {
  const [left, right] = [readMathAnswer(a), readMathAnswer(b)];
  if (!left.ok || !right.ok) counts.unread++;
  const said = left.ok && right.ok && isSameMath(left.value, right.value);
  counts[label === 1 ? 'same' : 'other']++;
  if (said === (label === 1)) continue;
  counts[label === 1 ? 'missed' : 'accepted']++;
  shown.push(`  ${a}  |  ${b}  |  sympy ${label}  ${left.ok ? '' : left.reason} ${right.ok ? '' : right.reason}`);
}
const share = (part, whole) => `${part} of ${whole} (${((100 * part) / whole).toFixed(2)} %)`;
console.log(
  `${pairs.length} pairs; false negatives ${share(counts.missed, counts.same)}, false positives ${share(counts.accepted, counts.other)}; ${counts.unread} not read`,
);
for (const line of shown.slice(0, 20)) console.log(line);
