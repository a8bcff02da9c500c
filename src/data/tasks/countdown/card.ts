/** Countdown's card and knobs. */
import { choice, flag, integer, number, options, type Values } from '../../../options/keys.ts';
import type { BrokenRule } from '../../../options/read.ts';
import type { TaskCard } from '../../task.ts';

/** Largest number that may be shown, reached or asked for: each of 0..99 is one token. */
export const MAX_VALUE = 99;

const KNOBS = options({
  answer: choice(['steps', 'expression', 'search'])
    .default('steps')
    .describe('Form of the answer: one calculation after the other, one expression, or a search before the steps.'),
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
  // Knobs of searches have no default here: the draws of the other forms are seeded by all knobs that have a value.
  max_tokens: integer({ min: 12, max: 4096, example: 150 })
    .optional()
    .describe(
      'Searches only: longest answer in tokens; a demonstration that is longer is drawn again, in random order. Default: 150 for three numbers, 512 for four.',
    ),
  listed: choice(['results', 'steps', 'nothing'])
    .optional()
    .describe('Searches only: what a try shows of the last steps, up to the target. Default: results.'),
  restate: flag()
    .optional()
    .describe('Searches only: of four numbers, repeat the three that are left after a bracket. Default: false.'),
  random_order: number({ min: 0, max: 1, example: 0.1 })
    .optional()
    .describe(
      'Searches only: share of demonstrations that try in random order; others keep that of the numbers and of + - * /. Default: 0.1.',
    ),
  right_marks: number({ min: 0, max: 1, example: 0.9 })
    .optional()
    .describe('Searches only: share of right marks in demonstrations. Default: 1.'),
  repeats: number({ min: 0, max: 0.9, example: 0.2 })
    .optional()
    .describe('Searches only: chance that a demonstration repeats a try after one that fails. Default: 0.'),
  gives_up: number({ min: 0, max: 1, example: 0.1 })
    .optional()
    .describe('Searches only: chance that a demonstration leaves its numbers after a try that fails. Default: 0.'),
  judged: choice(['all', 'steps'])
    .optional()
    .describe('Searches only: what must be right, tries and steps (all), or the steps at the end alone. Default: all.'),
});

export type CountdownKnobs = Values<typeof KNOBS>;

/** Knobs of one form of answers. */
const KNOBS_OF: Readonly<Record<CountdownKnobs['answer'], readonly (keyof CountdownKnobs)[]>> = {
  steps: [],
  expression: ['use', 'allow_equals', 'integer_steps'],
  search: ['max_tokens', 'listed', 'restate', 'random_order', 'right_marks', 'repeats', 'gives_up', 'judged'],
};
/** What a form of answers is called in a rule about its knobs. */
const PLURAL = { steps: 'steps', expression: 'expressions', search: 'searches' };
/** Knobs of several tries, which two numbers do not need. */
const OF_TRIES: readonly (keyof CountdownKnobs)[] = ['restate', 'random_order', 'repeats', 'gives_up'];

/** Tokens of the longest search that tries one thing, with the steps that follow it and EOS. */
function straightTokens({ numbers, listed = 'results', restate = true }: CountdownKnobs): number {
  const last = { results: 2 + 4, steps: 2 + 4 * 5, nothing: 1 }[listed];
  const brackets = Math.max(0, numbers - 3);
  const repeated = restate ? 2 * brackets + (numbers > 2 && listed !== 'nothing' ? 1 : 0) : 0;
  return 5 * (numbers - 2) + brackets + repeated + last + 6 * (numbers - 1) + 1;
}

/** Longest answer of a search in tokens, EOS included. */
export function searchTokens(knobs: CountdownKnobs): number {
  const { max_tokens = { 2: 0, 3: 150, 4: 512 }[knobs.numbers] ?? 0 } = knobs;
  return Math.max(max_tokens, straightTokens(knobs));
}

function checkSearchKnobs(knobs: CountdownKnobs, given: Readonly<Record<string, unknown>>): BrokenRule[] {
  const { numbers, listed, max_tokens } = knobs;
  const broken: BrokenRule[] = [];
  const least = straightTokens(knobs);
  if (given.correct_share !== undefined) {
    const rule = 'a rule for steps and expressions; set right_marks, repeats or gives_up instead, or remove it';
    broken.push({ key: 'correct_share', rule });
  }
  if (max_tokens !== undefined && max_tokens < least) {
    broken.push({ key: 'max_tokens', rule: `must be ${least} or more here; raise it or leave it out` });
  }
  if (numbers > 2) return broken;
  if (listed === 'nothing') broken.push({ key: 'listed', rule: 'two numbers are listed; use results or steps' });
  const useless = OF_TRIES.filter((key) => given[key] !== undefined);
  return [...broken, ...useless.map((key) => ({ key, rule: 'two numbers need one try; remove it' }))];
}

function checkKnobs(knobs: CountdownKnobs, given: Readonly<Record<string, unknown>>): BrokenRule[] {
  const { answer, max_number, train_max_number = max_number } = knobs;
  const broken = answer === 'search' ? checkSearchKnobs(knobs, given) : [];
  if (train_max_number < max_number) {
    broken.push({
      key: 'train_max_number',
      rule: `must be max_number (${max_number}) or more; raise it or leave it out`,
    });
  }
  for (const form of ['expression', 'search'] as const) {
    if (form === answer) continue;
    const rule = `a rule for ${PLURAL[form]}; set answer: ${form} or remove it`;
    broken.push(...KNOBS_OF[form].filter((key) => given[key] !== undefined).map((key) => ({ key, rule })));
  }
  return broken;
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
