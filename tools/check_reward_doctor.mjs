/**
 * `node tools/check_reward_doctor.mjs CASES.json`, after a build: what the comparisons of a data set say of the public cases of
 * reward-doctor (Apache-2.0, on PyPI), each {id, category, reference, completion, expect}. A case counts for a comparison with
 * the extraction that finds an answer in it; a wrong one is accepted where any of them accepts it.
 */
import { readFileSync } from 'node:fs';
import { answerReader, verifyExtracted } from '../build/packages/zoo/data/datasets/answers.js';
import { ALL_ROWS } from '../build/packages/zoo/data/datasets/parts.js';

const [, , path] = process.argv;
const cases = JSON.parse(readFileSync(path, 'utf8'));
const EXTRACTIONS = ['whole', 'only', 'boxed', 'hash', 'line'];
const table = new Map();
for (const comparison of ['math', 'number']) {
  for (const { id, category, reference, completion, expect } of cases) {
    const accepting = EXTRACTIONS.filter((extract) => {
      const reader = answerReader(ALL_ROWS.comparisons[comparison], extract);
      const read = reader.read(reference, undefined);
      if ('reason' in read) return false;
      const judge = (answer) => reader.judge(answer, read.truth, {});
      return verifyExtracted(completion, { finishReason: 'eos' }, extract, judge).score === 1;
    });
    const key = `${comparison} ${category}`;
    const { right = 0, wrong = [] } = table.get(key) ?? {};
    const isRight = accepting.length > 0 === expect;
    table.set(key, {
      right: right + Number(isRight),
      wrong: isRight ? wrong : [...wrong, `${id} ${accepting.join('+')}`],
    });
  }
}
for (const [key, { right, wrong }] of table) {
  console.log(`${key}: ${right} as expected, ${wrong.length} not${wrong.length > 0 ? `: ${wrong.join(', ')}` : ''}`);
}
