/**
 * `node tools/tokenizer_table.mjs FOLDER`, after a build: how often a tokenizer gives other tokens or texts than the
 * `tokenizers` library does, by the files that `test/golden/make_tokenizers.py FOLDER` wrote.
 */
import { readdirSync, readFileSync } from 'node:fs';

const from = new URL('../build/packages/models/text/tokenizer/', import.meta.url);
const { Tokenizer } = await import(new URL('tokenizer.js', from).href);
const { specialsAround } = await import(new URL('post_processor.js', from).href);

const [, , folder] = process.argv;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
console.log('kind | texts | other tokens | other with special tokens | other text | other text of sampled tokens');
for (const file of readdirSync(folder).sort()) {
  const { kind, tokenizer: json, rows, sampled } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
  let tokenizer;
  try {
    tokenizer = new Tokenizer(json);
  } catch (error) {
    console.log(`${kind} | ${rows.length} | refused: ${error.message}`);
    continue;
  }
  const { before, after } = specialsAround(json.post_processor);
  const counts = [0, 0, 0, 0];
  for (const { text, ids, whole = ids, decoded, skipped = decoded } of rows) {
    const tokens = tokenizer.encode(text);
    const around = [...before.map(({ id }) => id), ...tokens, ...after.map(({ id }) => id)];
    const isSame = tokenizer.decode(whole) === decoded && tokenizer.decode(whole, { skipSpecial: true }) === skipped;
    if (!same(tokens, ids)) counts[0]++;
    if (!same(around, whole)) counts[1]++;
    if (!isSame) counts[2]++;
  }
  for (const [ids, text] of sampled) if (tokenizer.decode(ids) !== text) counts[3]++;
  console.log([kind, rows.length, ...counts].join(' | '));
}
