/** Chat templates against Python's own Jinja2, as transformers compiles them; `test/golden/make_templates.py` made the goldens. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/text/codec.ts';
import { compileChatTemplate, templateDate } from '../../text/chat_template.ts';

type Values = Readonly<Record<string, unknown>>;

interface Golden {
  readonly tokens: Values;
  readonly kinds: Readonly<Record<string, Values & { readonly messages: readonly Message[] }>>;
  /** Per template, a hash for each kind; `!` where Python fails. */
  readonly grid: Readonly<Record<string, string>>;
  readonly values: Values;
  readonly snippets: readonly (readonly [source: string, text: string])[];
}

/** JSON as Python's `json.loads` reads it: `1.0` stays a float, and an integer has all of its digits. */
function parsePythonJson(text: string): unknown {
  const revive = (_: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined) return value;
    return /^-?\d+$/.test(source) ? BigInt(source) : Object(value);
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

const FOLDER = new URL('../../../../test/golden/templates/', import.meta.url);
const golden = parsePythonJson(readFileSync(new URL('templates.json', FOLDER), 'utf8')) as Golden;
const packed = gunzipSync(readFileSync(new URL('trl_chat_templates.json.gz', FOLDER)));
const sources = JSON.parse(packed.toString()) as Readonly<Record<string, string>>;
const NOW = new Date(2026, 2, 7, 14, 5, 9);

/** As the goldens have it: the text, `!words` of raise_exception, `!` and what is wrong otherwise. */
function rendered(source: string, { messages = [], ...values }: Values & { readonly messages?: readonly Message[] }) {
  try {
    return compileChatTemplate(source, 'm', NOW).render(messages, { ...golden.tokens, ...values });
  } catch (error) {
    const { message } = error as Error;
    const [, raised] = /^m: the chat template failed: ([\s\S]*)\.$/.exec(message) ?? [];
    return raised !== undefined && !raised.startsWith('line ') ? `!${raised}` : `! ${message}`;
  }
}

function digest(text: string): string {
  return text.startsWith('! ') ? '!' : createHash('sha256').update(text).digest('hex').slice(0, 7);
}

/** What Python renders and we do not: said by name. */
const REFUSED: Readonly<Record<string, string>> = {
  '{{ i.real }}': "failed: line 1: 'real' of type int is not supported",
  '{% autoescape true %}{{ html }}{% endautoescape %}':
    "is not readable: line 1: the block 'autoescape' is not supported here",
  '{% for x in l %}{{ loop }}{% endfor %}': 'failed: line 1: a LoopContext cannot be printed',
  "{{ dict(m, **{'q': 1}) }}": "is not readable: line 1: arguments by '**' are not supported",
  "{{ '%e'|format(1.5) }}": 'failed: line 1: the format %e is not supported',
  "{{ '{0[a]}'.format(m) }}": "failed: line 1: the field at '{' of format() is not supported",
  "{{ '0x1f'|int(base=16) }}": 'failed: line 1: int with a base is not supported',
  "{{ '一'.isnumeric() }}": 'failed: line 1: isnumeric() of Chinese characters is not supported',
  '{% macro d() %}{{ varargs }}{% endmacro %}{{ d(1) }}':
    "failed: line 1: varargs and kwargs of the macro 'd' are not supported",
  '{{ l is sameas l }}': "failed: line 1: the test 'sameas' is supported for true, false and none",
  "{{ s is filter }}|{{ 'upper' is filter }}|{{ 'odd' is test }}": "failed: line 1: the test 'filter' is not supported",
  '{% block x %}{{ s }}{% endblock %}': "is not readable: line 1: the block 'block' is not supported here",
  '{{ html|striptags }}': "failed: line 1: the filter 'striptags' is not supported",
};

describe("a chat template renders what transformers' Jinja2 renders", () => {
  const names = Object.keys(golden.kinds);

  it.each(Object.keys(sources))('%s, for conversations of all kinds', (name) => {
    const plain = { tools: null, documents: null, add_generation_prompt: false };
    const texts = names.map((kind) => rendered(sources[name], { ...plain, ...golden.kinds[kind] }));
    const wanted = golden.grid[name].split(' ');
    const differing = texts.flatMap((text, i) => (digest(text) === wanted[i] ? [] : [`${names[i]}: ${text}`]));
    expect(differing).toEqual([]);
  });

  it.each(golden.snippets)('%j', (source, text) => {
    const got = rendered(source, golden.values);
    if (source in REFUSED) return expect(got).toBe(`! m: the chat template ${REFUSED[source]}.`);
    expect(text === '!' ? got.slice(0, 2) : got).toBe(text === '!' ? '! ' : text);
  });
});

describe('the date of a template', () => {
  it('is the one that is given, with or without a time of day', () => {
    const source = "{{ strftime_now('%d %b %Y %H:%M:%S') }}";
    const written = (given: unknown): string =>
      compileChatTemplate(source, 'm', templateDate(given, 'm')).render([], {});
    expect(written('2026-11-30')).toBe('30 Nov 2026 00:00:00');
    expect(written('2026-11-30 14:05')).toBe('30 Nov 2026 14:05:00');
    expect(() => written(undefined)).toThrow(
      "m: the chat template failed: line 1: 'strftime_now' is undefined; give chat_template_kwargs: {",
    );
  });

  it.each(['2026-02-30', 'today', 20261130, '2026-11-30T25:00'])('is refused if it is none: %j', (given) => {
    expect(() => templateDate(given, 'm')).toThrow(
      `m: strftime_now of chat_template_kwargs is ${JSON.stringify(given)}; write a date such as 2026-11-30.`,
    );
  });
});
