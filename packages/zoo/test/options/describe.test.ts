import { expect, it } from 'vitest';
import { z } from 'zod';
import { choice, flag, integer, key, number, optional, text } from '../../../../src/options/keys.ts';
import type { Schema } from '../../../../src/options/option_schema.ts';
import { describeOption, textWithDefault } from '../../options/describe.ts';

const described = (schema: Schema<unknown>) => describeOption(key('it', schema));

it.each([
  [integer({ min: 2, max: 9, example: 4 }), 'whole number from 2 to 9'],
  [integer({ min: 1, example: 4 }), 'whole number of 1 or more'],
  [number({ min: 0, max: 1, example: 0.5 }), 'number from 0 to 1'],
  [number({ above: 0, max: 1, example: 0.5 }), 'number above 0 and at most 1'],
  [number({ above: 0, below: 1, example: 0.2 }), 'number above 0 and below 1'],
  [number({ above: 1, example: 4 }).nullable().default(null), 'number above 1 or null'],
  [optional(number({ above: 0, example: 5 })), 'number above 0 or null'],
  [choice(['steps', 'expression', 'both']), 'steps, expression or both'],
  [z.union([z.enum(['group', 'none']), z.boolean()]), 'group, none, true or false'],
  [flag(), 'true or false'],
  [text('mine'), 'text'],
])('says in words what an option takes: %#, %s', (schema, rule) => {
  expect(described(schema).rule).toBe(rule);
});

it('tells a control its kind and bounds, those of a value that may be null, too', () => {
  expect(described(integer({ min: 2, max: 9, example: 4 }))).toMatchObject({
    type: 'number',
    whole: true,
    least: 2,
    most: 9,
  });
  expect(described(optional(number({ above: 0, example: 5 })))).toMatchObject({
    type: 'number',
    whole: false,
    least: 0,
  });
  expect(described(choice(['all', 'subset']))).toMatchObject({ type: 'choice', choices: ['all', 'subset'] });
  expect(described(flag().default(false))).toMatchObject({ type: 'flag', default: false });
  const wordOrFlag = z.union([z.enum(['group', 'none']), z.boolean()]);
  expect(described(wordOrFlag)).toMatchObject({ type: 'choice', choices: ['group', 'none', 'true', 'false'] });
  expect(described(text('mine'))).toMatchObject({ type: 'other' });
});

it('has the default, the example, and whether the option must be given', () => {
  const plain = integer({ min: 1, example: 24 });
  expect(described(plain)).toMatchObject({ isNeeded: true, example: 24 });
  expect(described(plain)).not.toHaveProperty('default');
  expect(described(plain.default(3))).toMatchObject({ isNeeded: false, default: 3, example: 24 });
  expect(described(optional(plain))).toMatchObject({ isNeeded: false, example: 24 });
  expect(described(optional(plain))).not.toHaveProperty('default');
});

it('writes the value into the text where that says more of the default, and nothing otherwise', () => {
  const number = integer({ min: 1, example: 2 });
  expect(described(number.default(2).describe('Rounds.')).text).toBe('Rounds.');
  expect(described(number.default(2).describe('Rounds. Default {default} (TRL: 1).')).text).toBe(
    'Rounds. Default 2 (TRL: 1).',
  );
  expect(described(optional(number).describe('Rounds. Default: those of the stage.')).text).toBe(
    'Rounds. Default: those of the stage.',
  );
});

it.each([
  ['Rounds.', 2, 'Rounds. Default 2.'],
  ['Rounds. Default {default} (TRL: 1).', 2, 'Rounds. Default 2 (TRL: 1).'],
  ['Rounds. Default: those of the stage.', undefined, 'Rounds. Default: those of the stage.'],
  ['Tools. Default all.', ['calc', 'ask'], 'Tools. Default all.'],
  ['Rate.', 2e-5, 'Rate. Default 2e-5.'],
  ['Rate.', 0.0002, 'Rate. Default 0.0002.'],
  ['Mark.', '', 'Mark. Default none.'],
  ['Masked.', ['no_answer', 'bad_format'], 'Masked. Default [no_answer, bad_format].'],
])('says the default once, for who sees nothing but texts: %s %j', (text, fallback, full) => {
  expect(textWithDefault(text, fallback)).toBe(full);
});
