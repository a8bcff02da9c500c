/** Small files of a stranger's model that ask for work or memory without end: each is refused in words, and soon. */
import { expect, it } from 'vitest';
import { processorMs } from '../../../../test/support/processor_time.ts';
import { compileChatTemplate } from '../../text/chat_template.ts';
import { pretrainedCodec } from '../../text/pretrained_codec.ts';
import { requireBounded } from '../../text/tokenizer_bounds.ts';

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
])('a chat template with %s', (_, template, message) => {
  const begin = processorMs();
  expect(() => compileChatTemplate(template, './base').render(MESSAGES, {})).toThrow(
    new RegExp(`^\\./base: the chat template (failed|is not readable): ${message}`),
  );
  expect(processorMs() - begin).toBeLessThan(10_000);
});

it('a chat template with half as many blanks is read', () => {
  const template = `{%${' '.repeat(9e5)}if true %}a{{ 1 }}${' \n'.repeat(4e4)}{%- endif %}`;
  expect(compileChatTemplate(template, './base').render(MESSAGES, {})).toBe('a1');
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
    'overlapping alternatives that repeat',
    { pre_tokenizer: split('(a|a)+$') },
    'repeats what can be read in several ways',
  ],
  ['alternatives of which one begins the other', { pre_tokenizer: split('(?:a|ab|b)*$') }, 'in several ways'],
  ['classes that overlap', { pre_tokenizer: split('(?:\\s|\\w|.)+$') }, 'in several ways'],
  ['an alternative within another', { pre_tokenizer: split('((x|(?:a|A))y?)+$') }, 'in several ways'],
  ['what may be left out, repeated', { pre_tokenizer: split('(aa?)+$') }, 'in several ways'],
  ['many repetitions, with an end', { pre_tokenizer: split('(a|a){30}$') }, 'in several ways'],
  ...[
    'a*a*a*$',
    'a*a*$',
    '(a*)(?:b|a+)$',
    'x|\\w+\\d*\\w+!',
    '.*.*=.*',
    'a+b?a+$',
    '(?:a{0,99}){3}$',
    '(?i:A+)a+\\b',
    '[a-m]+[^a-f\\s]+(?!\\S)',
    '\\p{L}*(?:ab)*[\\p{Ll}\\d]*\\(',
    '(?=a*a*c)a',
  ].map((regex): [string, object, string] => [
    `the pattern ${regex}`,
    { normalizer: { type: 'Replace', pattern: { Regex: regex }, content: '' } },
    'repeats the same letters more than once before it can fail, and takes ages on a long text',
  ]),
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
])('a tokenizer with %s is refused', (_, parts, message) => {
  const tokenizer = { model: { type: 'BPE', vocab: { a: 0, b: 1, '<e>': 2 }, merges: [] }, ...parts };
  const files = { tokenizer, config: { eos_token: '<e>' }, chatTemplate: undefined, eosTokenIds: [], source: './base' };
  expect(() => pretrainedCodec(files, { vocabSize: 3 })).toThrow(new RegExp(`^\\./base: .*${message}`));
});

it.each([
  // GPT-2, Llama 3, o200k, DeepSeek: what tokenizers of today have.
  "'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}]*[\\p{Ll}\\p{M}]+(?i:'s|'t)?|\\p{N}{1,3}| ?[^\\s\\p{L}]+[\\r\\n/]*|\\s+",
  '\\p{N}{1,3}(?=(?:\\p{N}{3})*(?!\\p{N}))',
  '(?:\\r?\\n)+|(?:ab|cd|\\()+',
  // Kimi K2, CLIP, and replacements of normalizers.
  "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+(?i:'s|'t)?|\\s+",
  "<\\|startoftext\\|>|'s|'t|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+",
  ' {2,}',
  '[A-Z]+[a-z]+(?=\\d)|\\s+$|^\\s*',
])('a tokenizer with the pattern %s is read', (regex) => {
  expect(() => requireBounded({ pre_tokenizer: split(regex) })).not.toThrow();
});

it('patterns that are read end soon on a text that they do not match', () => {
  const text = 'a'.repeat(2000);
  for (const regex of ['(?:ab|cd|\\()+$', '(?:\\r?\\n)+$', '(?:a{3})*$', '(?:b?a)+c', 'a*b?a?c*$', 'a*ba*c']) {
    expect(() => requireBounded({ pre_tokenizer: split(regex) })).not.toThrow();
    const begin = processorMs();
    new RegExp(regex, 'u').exec(text);
    expect(processorMs() - begin).toBeLessThan(1000);
  }
});
