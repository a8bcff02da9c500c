/**
 * `node tools/check_math_answers.mjs PAIRS`, after a build: how often `verify: math` agrees with the labels of pairs that
 * test/golden/make_math_answers.py (lines of JSON) or make_math_notations.py (a JSON file) wrote. A pair counts as
 * different if a side of it cannot be read. For a second build: RLVR_MATH_ANSWER=path/to/math_answer.js.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const here = new URL('../build/packages/zoo/parsing/math_answer.js', import.meta.url).href;
const other = process.env.RLVR_MATH_ANSWER;
const { isSameMath, readMathAnswer } = await import(other === undefined ? here : pathToFileURL(other).href);

const [, , path] = process.argv;
const text = readFileSync(path, 'utf8').trim();
const given = text.startsWith('{') ? JSON.parse(text) : undefined;
const pairs = given?.pairs ?? text.split('\n').map(asPair);

function asPair(line) {
  const [gold, answer, same] = JSON.parse(line);
  return { kind: 'expressions', gold, answer, same };
}

const kinds = new Map();
const shown = [];
for (const { kind, gold, answer, same, math_verify: theirs } of pairs) {
  const [left, right] = [readMathAnswer(gold), readMathAnswer(answer)];
  const said = left.ok && right.ok && isSameMath(left.value, right.value);
  for (const name of [kind, 'all']) {
    const counts = kinds.get(name) ?? { right: 0, ours: 0, theirs: 0, wrong: 0, oursWrong: 0, theirsWrong: 0 };
    kinds.set(name, counts);
    counts[same === 1 ? 'right' : 'wrong']++;
    if (said) counts[same === 1 ? 'ours' : 'oursWrong']++;
    if (theirs === 1) counts[same === 1 ? 'theirs' : 'theirsWrong']++;
  }
  if (said !== (same === 1))
    shown.push(`  ${gold}  |  ${answer}  |  sympy ${same}  ${left.reason ?? ''} ${right.reason ?? ''}`);
}
console.log('kind | right forms accepted: ours, math-verify | wrong forms accepted: ours, math-verify');
for (const [kind, of] of [...kinds].sort()) {
  console.log(`${kind} | ${of.ours}, ${of.theirs} of ${of.right} | ${of.oursWrong}, ${of.theirsWrong} of ${of.wrong}`);
}
for (const line of shown.slice(0, 40)) console.log(line);
for (const gold of given?.golds ?? []) {
  const reading = readMathAnswer(gold);
  if (!reading.ok) console.log(`not read: ${gold}  (${reading.reason})`);
}
