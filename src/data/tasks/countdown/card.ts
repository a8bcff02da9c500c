/** Countdown's card and knobs. */
import { choice, flag, integer, number, options, type Values } from '../../../options/keys.ts';
import type { BrokenRule } from '../../../options/read.ts';
import type { TaskCard } from '../../task.ts';

/** Largest number that may be shown, reached or asked for: each of 0..99 is one token. */
export const MAX_VALUE = 99;

const KNOBS = options({
  answer: choice(['steps', 'expression'])
    .default('steps')
    .describe('Form of the answer: one calculation after the other, or one expression.'),
  numbers: integer({ min: 2, max: 4, example: 3 }).default(3).describe('How many numbers.'),
  max_number: integer({ min: 2, max: MAX_VALUE, example: 10 })
    .default(10)
    .describe('Numbers are drawn from 1 to this one.'),
  train_max_number: integer({ min: 2, max: MAX_VALUE, example: 20 })
    .optional()
    .describe(
      'Training problems draw from 1 to this one, so that they cannot be learned by heart. Default: max_number.',
    ),
  max_target: integer({ min: 1, max: MAX_VALUE, example: MAX_VALUE })
    .default(MAX_VALUE)
    .describe('Targets are drawn from 1 to this one.'),
  correct_share: number({ min: 0, max: 1, example: 0.5 })
    .default(0.5)
    .describe(
      'Share of warm-start demonstrations that reach the target asked for; the others are valid and end elsewhere.',
    ),
  use: choice(['all', 'subset'])
    .default('all')
    .describe('Expressions only: each number exactly once (all), or at most once (subset).'),
  allow_equals: flag().default(false).describe('Expressions only: accept one trailing =target.'),
  integer_steps: flag().default(false).describe('Expressions only: refuse quotients that are not integers.'),
});

export type CountdownKnobs = Values<typeof KNOBS>;

/** Knobs without effect on steps. */
const FOR_EXPRESSIONS = ['use', 'allow_equals', 'integer_steps'] as const;

function checkKnobs(knobs: CountdownKnobs, given: Readonly<Record<string, unknown>>): BrokenRule[] {
  const broken: BrokenRule[] = [];
  const { answer, max_number, train_max_number = max_number } = knobs;
  if (train_max_number < max_number) {
    broken.push({
      key: 'train_max_number',
      rule: `must be max_number (${max_number}) or more; raise it or leave it out`,
    });
  }
  const loosened = answer === 'steps' ? FOR_EXPRESSIONS.filter((key) => given[key] !== undefined) : [];
  const rule = 'a rule for expressions; set answer: expression or remove it';
  return [...broken, ...loosened.map((key) => ({ key, rule }))];
}

export const countdownCard = {
  name: 'countdown',
  names: ['TinyZero'],
  does: 'Reach a target with given numbers, each used once.',
  example: ['3 7 2 = 13 ?', '3 * 2 = 6 , 7 + 6 = 13'],
  version: 2,
  category: 'arithmetic',
  tier: 1,
  knobs: KNOBS,
  checkKnobs,
  levels: [{ numbers: 2 }, {}, { numbers: 4 }],
} satisfies TaskCard<CountdownKnobs>;
