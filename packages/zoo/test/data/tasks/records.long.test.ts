import { describe, expect, it } from 'vitest';
import { registeredTasks } from '../../../../../test/support/everything.ts';
import { type AnyTaskDefinition, bindTask, takeKnobs } from '../../../data/index.ts';
import { jsonRecord } from '../../../data/tasks/json_record/json_record.ts';
import { automatonOf, type Branches, languageKey } from '../../../data/tasks/regex_write/automaton.ts';
import { regexWrite } from '../../../data/tasks/regex_write/regex_write.ts';
import { openSchemaChecker } from '../../../sandbox/json_schema.ts';
import { openRegex } from '../../../sandbox/regex.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { RECORDS } from '../second_checkers/records.ts';

describeTasks(
  RECORDS,
  {
    json_record: ['2498f8d5', '0455dccd', '88e35495', '71d4765a'],
    regex_write: ['706b5c3d', 'f7257f92', 'c17c7827', '3f6c9574'],
  },
  1 / 8,
);

const PERSON = { type: 'object', properties: { n: { type: 'string' }, a: { type: 'integer' } }, required: ['n', 'a'] };

describe('json_record: the text 7 and the number 12', async () =>
  itScores(jsonRecord(await openSchemaChecker()), {
    problem: { schema: { ...PERSON, additionalProperties: false }, record: { n: '7', a: 12 } },
    1: ['{"n":"7","a":12}', '{ "a": 12,\n "n": "7" }', '```json\n{"n":"7","a":12}\n```', '{"\\u006e":"7","a":1.2e1}'],
    0: [
      '{"n":7,"a":12}',
      '{"n":"7","a":"12"}',
      '{"n":"7","n":"7","a":12}',
      '{"n":"7","\\u006e":"7","a":12}',
      '{"n":"7","a":12,"z":1}',
      '{"n":"7","a":12,"__proto__":{}}',
      '{"n":"7"}',
      '{"n":"7","a":12.5}',
      '{"n":"7","a":12}{}',
      "{'n':'7','a':12}",
      '{"n":"7","a":12,}',
      '[["n","7"],["a",12]]',
    ],
  }));

describe('json_record on a schema of a config', () => {
  const knobsOf = (schema: unknown) => takeKnobs(registeredTasks.json_record.card, { schema } as never);

  it('draws records that meet its further keywords, as the prompt says them', async () => {
    const age = { type: 'integer', minimum: 10, maximum: 40, multipleOf: 5 };
    const schema = { ...PERSON, properties: { n: { type: 'string', enum: ['ann', 'bob'] }, a: age } };
    const definition = await registeredTasks.json_record.load();
    const knobs = knobsOf(schema);
    const { drawIdentity } = await import('../../../../../src/data/split.ts');
    const { rngFor } = await import('../../../../../src/kernels/philox.ts');
    const ages = Array.from({ length: 120 }, (_, i) => drawIdentity(definition, knobs, rngFor(`own schema ${i}`)))
      .filter((item) => item !== null)
      .map((item) => (item as { readonly record: { readonly n: string; readonly a: number } }).record);
    expect(ages.length).toBeGreaterThan(5);
    expect(ages.every(({ a }) => a % 5 === 0)).toBe(true);
    expect(ages.every(({ n, a }) => ['ann', 'bob'].includes(n) && a >= 10 && a <= 40)).toBe(true);
  });

  it.each([
    [
      { $ref: 'https://example.com/person.json' },
      /schema\.\$ref: https:.* refers to a network address, and nothing is fetched/,
    ],
    [{ type: 'object', properties: { a: { $ref: '//x/y' } } }, /schema\.properties\.a\.\$ref: .* a network address/],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } } }, /another place.*write the schema itself there/],
    [{ type: 'array', items: { type: 'integer' } }, /a record is an object; use object/],
    [{ type: 'object', properties: {} }, /there are none; name one/],
    [{ type: 'object', properties: { a: { type: 'null' } } }, /schema\.properties\.a\.type: "null" is none/],
    [{ type: 'object', properties: { 'a b': { type: 'string' } } }, /"a b" cannot be said in a line/],
    [
      { type: 'object', properties: { a: { type: 'integer', minimum: 3, maximum: 2 } } },
      /in order; for example 0 and 9/,
    ],
  ])('%j is refused in words', (schema, message) => {
    expect(() => knobsOf(schema)).toThrow(message);
  });
});

describe('regex_write: some a, then b or c', async () =>
  itScores(regexWrite(await openRegex()), {
    problem: {
      branches: [
        [
          { letters: 'a', count: 'some' },
          { letters: 'bc', count: 'once' },
        ],
      ],
    },
    1: ['a+[bc]', '^a+(b|c)$', 'aa*[bc]', '(?:a+b|a+c)', '(?P<x>a)+(?:[b-c])', ' a{1,}[bc]\n'],
    0: [
      'a*[bc]',
      'a+[abc]',
      '.*',
      'a+[bc]?',
      'a{1,9}[bc]',
      '(a+)*[bc]|c',
      'aa*[^a]',
      'a+.',
      'a+[b-d]',
      'a+[bck]',
      '(?i)a+[bc]',
      '[a0]+[bc]',
      'a+[bc]\\n?',
      'a+[bc][^abc]*',
      '(?=a)a+[bc]',
      '(a)\\1*[bc]',
      '((((a{1,9}){1,9}){1,9}){1,9}){1,9}[bc]',
      `${'('.repeat(70)}a`,
      'a{10}',
      'a+[bc',
      '',
    ],
  }));

it('regex_write refuses each pattern that takes another character too: 15 for each of 16 problems', async () => {
  const definition = regexWrite(await openRegex()) as unknown as AnyTaskDefinition;
  const accepted: string[] = [];
  for (let index = 0; index < 16; index++) {
    const task = bindTask(definition, { level: index % 4 });
    const item = task.trainItem(0, index);
    const isRight = (answer: string) => task.verify(item, answer, { finishReason: 'eos' }).score === 1;
    expect(isRight(item.answer), item.prompt).toBe(true);
    const wider = ['d', 'm', '0', '_', 'A-C', 'A-Z', '-k', ' ', 'é'].map((one) =>
      item.answer.replace(/[abc]/, `[$&${one}]`),
    );
    const longer = ['d?', '\\n?', '[^abc]*', '(?:[^a-c].*)?', 'A{0,1}'].map((one) => `(?:${item.answer})${one}`);
    const mutants = [...wider.map((one) => one.replace(/\[\[(.*?)\]/, '[$1')), ...longer, `(?i)${item.answer}`];
    accepted.push(...mutants.filter(isRight).map((pattern) => `${item.prompt} ${pattern}`));
  }
  expect(accepted).toEqual([]);
});

describe('the smallest automaton of words', () => {
  const keyOf = (branches: Branches) => languageKey(automatonOf(branches));

  it('is the same however they are described, and another for other words', () => {
    const some = keyOf([[{ letters: 'a', count: 'some' }]]);
    expect(
      keyOf([
        [
          { letters: 'a', count: 'once' },
          { letters: 'a', count: 'any' },
        ],
      ]),
    ).toBe(some);
    expect(keyOf([[{ letters: 'a', count: 'some' }], [{ letters: 'a', count: 'two' }]])).toBe(some);
    expect(keyOf([[{ letters: 'a', count: 'any' }]])).not.toBe(some);
    expect(some).toBe('-1,2,2 +1,2,2 -2,2,2');
  });
});
