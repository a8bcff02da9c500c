/** Calls of tools as policies write them, in each notation. */
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALL_FORMATS, callFormatOf, showsTools } from '../../../data/tools/call_formats.ts';
import { readArguments, type ToolParameters, toolSchema } from '../../../data/tools/tool.ts';

const [TAGS, CODER, HERMES, LLAMA] = CALL_FORMATS;
const golden = JSON.parse(readFileSync(new URL('../../../../../test/golden/text.json', import.meta.url), 'utf8'));
const template = (name: string): string => golden.templates[name].template;

const PLACE: ToolParameters = {
  city: { type: 'string' },
  days: { type: 'integer', optional: true },
  unit: { type: 'string', enum: ['C', 'F'], optional: true },
};

it('the notation of Qwen3-Coder is told from that of its siblings', () => {
  const coder =
    '…\n<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>…';
  expect(callFormatOf(coder)).toBe(CODER);
  expect(showsTools(coder)).toBe(true);
});

it('the notation is that of the chat template', () => {
  const names = ['qwen2.5', 'qwen3', 'llama3.2', 'llama3', 'smollm2', 'chatml'];
  expect(names.map((name) => callFormatOf(template(name)).name)).toEqual([
    'hermes',
    'hermes',
    'llama',
    'tags',
    'tags',
    'tags',
  ]);
  expect(names.map((name) => showsTools(template(name)))).toEqual([true, true, true, false, false, false]);
  expect(callFormatOf(undefined)).toBe(TAGS);
});

describe('a call', () => {
  it('is written as its model was taught', () => {
    const call = { call: 'weather', arguments: { city: 'Ulm', days: 3 } };
    expect(TAGS.write(call, PLACE)).toBe('<call>weather Ulm 3</call>');
    expect(HERMES.write(call, PLACE)).toBe(
      '<tool_call>\n{"name": "weather", "arguments": {"city": "Ulm", "days": 3}}\n</tool_call>',
    );
    expect(CODER.write(call, PLACE)).toBe(
      '<tool_call>\n<function=weather>\n<parameter=city>\nUlm\n</parameter>\n' +
        '<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>',
    );
    expect(LLAMA.write(call, PLACE)).toBe('{"name": "weather", "parameters": {"city": "Ulm", "days": 3}}');
  });

  it.each(CALL_FORMATS)('is read as it was written: $name', (format) => {
    const arg = fc.string({ unit: fc.constantFrom('a', 'B', '7', '"', '\\', '{', '}', 'é'), minLength: 1 });
    fc.assert(
      fc.property(arg, fc.integer({ min: -999, max: 999 }), (city, days) => {
        const values = { city, days };
        const [read, ...more] = format.read(format.write({ call: 'weather', arguments: values }, PLACE));
        expect(more).toEqual([]);
        expect(read).toMatchObject({ name: 'weather' });
        expect('given' in read && readArguments({ parameters: PLACE }, read.given, read.areTexts)).toEqual({
          ok: true,
          values,
        });
      }),
    );
  });

  it.each<[string, (typeof CALL_FORMATS)[number], string, unknown]>([
    [
      'after a thought',
      HERMES,
      'I ask.\n<tool_call>{"name":"a","arguments":{}}</tool_call>',
      [{ name: 'a', given: {} }],
    ],
    [
      'twice',
      HERMES,
      '<tool_call>{"name":"a","arguments":{"x":1}}</tool_call>\n<tool_call>{"name":"b"}</tool_call>',
      [
        { name: 'a', given: { x: 1 } },
        { name: 'b', given: {} },
      ],
    ],
    ['with no end', HERMES, '<tool_call>{"name":"a"}', [{ flaw: 'the call has no end' }]],
    ['of no JSON', HERMES, '<tool_call>a(1)</tool_call>', [{ flaw: 'the call is no JSON' }]],
    ['of a list', HERMES, '<tool_call>[1]</tool_call>', [{ flaw: 'the call has no name' }]],
    ['of a text', HERMES, '<tool_call>"a"</tool_call>', [{ flaw: 'the call is no JSON object' }]],
    ['without a name', HERMES, '<tool_call>{"arguments":{}}</tool_call>', [{ flaw: 'the call has no name' }]],
    [
      'with a text for arguments',
      HERMES,
      '<tool_call>{"name":"a","arguments":"1"}</tool_call>',
      [{ flaw: 'its arguments are no object' }],
    ],
    [
      'in lines',
      CODER,
      'I ask.\n<tool_call>\n<function=a>\n<parameter=x>\n1\n\n2\n</parameter>\n<parameter=y>z</parameter>\n</function>\n</tool_call>',
      [{ name: 'a', given: { x: '1\n\n2', y: 'z' }, areTexts: true }],
    ],
    [
      'twice, without what is around them',
      CODER,
      '<function=a>\n</function>\n<function=b></function>',
      [
        { name: 'a', given: {}, areTexts: true },
        { name: 'b', given: {}, areTexts: true },
      ],
    ],
    ['with no end', CODER, '<tool_call>\n<function=a>\n</function>', [{ flaw: 'the call has no end' }]],
    ['with no end', CODER, '<tool_call>\n<function=a>\n</tool_call>', [{ flaw: 'the call has no end' }]],
    ['cut off', CODER, '<function=a>\n<parameter=x>\n1\n</function>', [{ flaw: 'a parameter has no end' }]],
    ['of JSON', CODER, '<tool_call>{"name":"a"}</tool_call>', [{ flaw: 'the call names no function' }]],
    ['that is an answer', CODER, '42', []],
    ['for a machine', LLAMA, '<|python_tag|>{"name": "a", "parameters": {}}', [{ name: 'a', given: {} }]],
    ['cut off', LLAMA, '{"name": "a", "parameters": ', [{ flaw: 'the call is no JSON' }]],
    ['that is an answer', LLAMA, 'The answer is {"name": "a"}.', []],
    ['that is an answer', HERMES, '42', []],
    ['of a name alone', TAGS, '<call>now</call>', [{ name: 'now', given: '' }]],
    ['with no end', TAGS, '<call>now', [{ flaw: 'the call has no end' }]],
    ['that is an answer', TAGS, 'call now', []],
  ])('%s is read: %#', (_, format, action, calls) => {
    expect(format.read(action)).toEqual(calls);
  });

  it.each(CALL_FORMATS)('is found in long junk in no time: $name', (format) => {
    for (const piece of ['<call>', '<tool_call>', '</call>', '{"name": ', '{"name":"a","parameters":', '[']) {
      const begun = performance.now();
      format.read(piece.repeat(100_000));
      expect(performance.now() - begun).toBeLessThan(1000);
    }
  });
});

describe('arguments', () => {
  it.each<[unknown, string]>([
    [{}, 'city is missing'],
    [{ city: 7 }, 'city is a text'],
    [{ city: 'Ulm', days: 1.5 }, 'days is a whole number'],
    [{ city: 'Ulm', days: '3' }, 'days is a whole number'],
    [{ city: 'Ulm', unit: 'K' }, 'unit is one of C, F'],
    [{ city: 'Ulm', town: '' }, 'it has no parameter town'],
    [[], 'its arguments are no object'],
    [null, 'its arguments are no object'],
    [{ city: 'Ulm', __proto__: { days: 1 } }, ''],
    ['', 'city is missing'],
    ['Ulm three', 'days is a whole number'],
    ['Ulm 3 K', 'unit is one of C, F'],
  ])('%j: %s', (given, reason) => {
    const read = readArguments({ parameters: PLACE }, given);
    expect(read.ok ? '' : read.reason).toBe(reason);
  });

  it('are read from a text by position, the last one to its end', () => {
    const parameters: ToolParameters = {
      times: { type: 'integer' },
      loud: { type: 'boolean' },
      text: { type: 'string' },
    };
    const values = { times: 2, loud: true, text: 'a b  c' };
    expect(readArguments({ parameters }, '2 true a b  c')).toEqual({ ok: true, values });
    expect(readArguments({ parameters: {} }, '')).toEqual({ ok: true, values: {} });
  });

  it('are lists, objects and values of several types, as JSON and as texts', () => {
    const parameters: ToolParameters = {
      rows: { type: 'array' },
      place: { type: 'object', optional: true },
      how: { type: ['string', 'integer', 'null'], optional: true },
      loud: { type: 'boolean', optional: true },
    };
    const values = { rows: [1, 'a'], place: { x: 1 }, how: 3, loud: true };
    expect(readArguments({ parameters }, values)).toEqual({ ok: true, values });
    const texts = { rows: '[1, "a"]', place: '{"x": 1}', how: '3', loud: 'True' };
    expect(readArguments({ parameters }, texts, true)).toEqual({ ok: true, values });
    expect(readArguments({ parameters }, '[1,"a"] {"x":1} 3 true')).toEqual({ ok: true, values });
    const how = (text: string): unknown => readArguments({ parameters }, { rows: '[]', how: text }, true);
    expect(how('3 m')).toEqual({ ok: true, values: { rows: [], how: '3 m' } });
    expect(how('None')).toEqual({ ok: true, values: { rows: [], how: null } });
    expect(readArguments({ parameters }, { rows: 'a, b' }, true)).toEqual({ ok: false, reason: 'rows is a list' });
    expect(readArguments({ parameters }, { rows: {} })).toEqual({ ok: false, reason: 'rows is a list' });
  });
});

it('a tool is shown to a template as a function of JSON Schema', () => {
  expect(toolSchema({ name: 'weather', description: 'Forecast.', parameters: PLACE })).toEqual({
    type: 'function',
    function: {
      name: 'weather',
      description: 'Forecast.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' }, unit: { type: 'string', enum: ['C', 'F'] } },
        required: ['city'],
      },
    },
  });
});
