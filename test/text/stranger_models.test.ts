/** Small files of a stranger's model that ask for work or memory without end: each is refused in words, and soon. */
import { expect, it } from 'vitest';
import { compileChatTemplate } from '../../src/text/chat_template.ts';
import { pretrainedCodec } from '../../src/text/pretrained_codec.ts';
import { processorMs } from '../support/processor_time.ts';

const MESSAGES = [{ role: 'user', content: 'hello' }] as const;
const lines = (count: number, line: string): string => Array.from({ length: count }, () => line).join('\n');

it.each([
  [
    'a list in itself, written as JSON',
    `{% set a = [1] %}${lines(60, '{% set a = [a, a] %}')}{{ a | tojson }}`,
    'it makes more than 20000000 characters and elements',
  ],
  ['a text that doubles', `{% set a = 'ab' %}${lines(60, '{% set a = a ~ a %}')}{{ a }}`, 'it makes more than'],
  [
    'a growing replacement',
    `{% set a = 'aa' %}${lines(60, "{% set a = a | replace('a', 'aaaa') %}")}{{ a }}`,
    'it makes more than',
  ],
  [
    'long lists joined again and again',
    `{% for i in range(9999) %}{{ range(99999) | join }}{% endfor %}`,
    'it makes more than',
  ],
  [
    'a list looked at again and again',
    `{% set a = range(99999) %}{% for i in range(99999) %}{% if 'x' in a %}{% endif %}{% endfor %}`,
    'it makes more than',
  ],
  ['two million blanks in a tag', `{% ${' '.repeat(2e6)} if true %}{% endif %}`, 'longer than 1000000 characters'],
  ['half as many', `{%${' '.repeat(9e5)}if true %}{% endif %}`, 'more than 1000 blanks in a row'],
])('a chat template with %s', (_, template, message) => {
  const begin = processorMs();
  expect(() => compileChatTemplate(template, './base').render(MESSAGES, {})).toThrow(
    new RegExp(`^\\./base: the chat template (failed|is not readable): ${message}`),
  );
  expect(processorMs() - begin).toBeLessThan(10_000);
});

const replaceEach = { type: 'Replace', pattern: { String: 'a' }, content: 'aaaaaaaaaa' };
const split = (regex: string) => ({ type: 'Split', pattern: { Regex: regex }, behavior: 'Isolated', invert: false });

it.each([
  [
    'a pattern that never ends',
    { pre_tokenizer: split('(a+)+$') },
    'pre_tokenizer: the pattern \\(a\\+\\)\\+\\$ repeats',
  ],
  [
    'one in a sequence',
    { pre_tokenizer: { type: 'Sequence', pretokenizers: [split('x|(?:[)+]a{2,})*b')] } },
    'repeats what',
  ],
  [
    'twelve that write ten letters for one',
    { normalizer: { type: 'Sequence', normalizers: Array.from({ length: 12 }, () => replaceEach) } },
    'normalizer: its replacements make a text 1000000000000 times as long',
  ],
  [
    'an id of 10⁹',
    { added_tokens: [{ id: 1e9, content: '<x>', special: true }] },
    "the tokenizer's largest id is 1000000000, and the embedding has 3 rows",
  ],
  [
    'an id of 10⁹ in its vocabulary',
    { model: { type: 'BPE', vocab: { a: 0, '<e>': 1e9 }, merges: [] } },
    "the tokenizer's largest id is 1000000000",
  ],
])('a tokenizer with %s', (_, parts, message) => {
  const tokenizer = { model: { type: 'BPE', vocab: { a: 0, b: 1, '<e>': 2 }, merges: [] }, ...parts };
  const files = { tokenizer, config: { eos_token: '<e>' }, chatTemplate: undefined, eosTokenIds: [], source: './base' };
  expect(() => pretrainedCodec(files, { vocabSize: 3 })).toThrow(new RegExp(`^\\./base: .*${message}`));
});
