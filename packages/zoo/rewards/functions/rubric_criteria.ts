/** The criteria of a rubric: what each asks of a completion, and how far it is met. */
import { z } from 'zod';
import { text } from '../../../../src/options/keys.ts';
import type { BrokenRule, GivenOptions } from '../../../../src/options/read.ts';
import type { RewardBatch, RewardItem } from '../../../../src/rewards/reward_function.ts';
import { wordsOf } from '../../parsing/visible_words.ts';

const textError = { error: 'must be a non-empty text; for example because' };
const someText = z.string(textError).min(1, textError);
const count = z.number({ error: 'must be a whole number; for example 40' }).int().min(0);

/** What a text must be, or a sub-score of its verdict. */
export const textCheck = z.union([
  z.strictObject({ part: someText }),
  z.strictObject({ contains: someText }),
  z.strictObject({ lacks: someText }),
  z.strictObject({ starts_with: someText }),
  z.strictObject({ ends_with: someText }),
  z.strictObject({ most_words: count }),
  z.strictObject({ least_words: count }),
]);

const check = z.union([z.literal('correct'), z.literal('readable'), ...textCheck.options], {
  error:
    'not a check; use correct, readable, {part: NAME}, {contains: TEXT}, {lacks: TEXT}, {starts_with: TEXT}, {ends_with: TEXT}, {most_words: N} or {least_words: N}',
});

const criterion = z.strictObject(
  {
    id: someText,
    weight: z.number({ error: 'must be a finite number; for example 1, or -1 for what must not be' }),
    check,
    veto: z.boolean({ error: 'must be true or false' }).optional(),
    gate: z.boolean({ error: 'must be true or false' }).optional(),
  },
  { error: 'must be {id, weight, check}, and may have veto: true or gate: true' },
);

export type Criterion = z.infer<typeof criterion>;

export const criteriaList = z
  .array(criterion, { error: 'must be a list of {id, weight, check}' })
  .min(1, { error: 'must name a criterion; for example {id: right, weight: 2, check: correct}' });

export const criteriaOption = criteriaList
  .optional()
  .describe(
    'The criteria of all problems: {id, weight, check}. check: correct, readable, {part: NAME}, a sub-score of the verdict, {contains: TEXT}, {lacks: TEXT}, {starts_with: TEXT}, {ends_with: TEXT}, {most_words: N} or {least_words: N}. A weight below 0 is of what must not be. Where one with veto: true is not met, the reward is 0; where one with gate: true is not met, those after it do not count as met.',
  );

export const criteriaColumn = text('rubric')
  .default('rubric')
  .describe('The column of a problem that has its criteria, where `criteria` is not given.');

/** Criteria of all problems, or of each. */
export interface GivenCriteria {
  readonly criteria?: readonly Criterion[];
  readonly column: string;
}

/** Both at once would leave one unread, and each list needs a criterion that pays. */
export function criteriaRules({ criteria }: GivenCriteria, given: GivenOptions): BrokenRule[] {
  if (criteria === undefined) return [];
  if (given.column !== undefined)
    return [{ key: 'column', rule: 'is not read beside criteria; leave one of them out' }];
  const rule = flawOf(criteria);
  return rule === undefined ? [] : [{ key: 'criteria', rule }];
}

/** What is wrong with a list of criteria as a whole; undefined: nothing. */
export function flawOf(criteria: readonly Criterion[]): string | undefined {
  const ids = criteria.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) return `${twice} is there twice; give each criterion an id of its own`;
  return criteria.some(({ weight }) => weight > 0) ? undefined : 'no weight is above 0; give one such';
}

/** The criteria of a problem; undefined where its column has none. */
export function criteriaOf({ criteria, column }: GivenCriteria, item: RewardItem): readonly Criterion[] | undefined {
  if (criteria !== undefined) return criteria;
  const cell = item.columns?.[column];
  const read = criteriaList.safeParse(typeof cell === 'string' ? parsedJson(cell) : cell);
  return read.success && flawOf(read.data) === undefined ? read.data : undefined;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a text that is no JSON is no list of criteria
  }
}

/** Why a problem has no criteria: `what is so; remedy`. */
export function lacksCriteria(given: GivenCriteria, item: RewardItem): string | undefined {
  if (criteriaOf(given, item) !== undefined) return undefined;
  return `column ${given.column} of a problem is no list of {id, weight, check}; give it one, or give criteria`;
}

export type JudgedTexts = Pick<RewardBatch, 'completions' | 'verdicts'>;

/** How far each criterion is met, in [0, 1], those after a gate that is shut at 0. */
export function metOf(criteria: readonly Criterion[], batch: JudgedTexts, row: number): number[] {
  let isOpen = true;
  return criteria.map((one) => {
    const met = isOpen ? metAlone(one.check, batch, row) : 0;
    if (one.gate && met < 1) isOpen = false;
    return met;
  });
}

function metAlone(asked: Criterion['check'], { completions, verdicts }: JudgedTexts, row: number): number {
  const { score, status, parts } = verdicts[row];
  const completion = completions[row];
  if (asked === 'correct') return Number(score === 1);
  if (asked === 'readable') return Number(status === 'correct' || status === 'incorrect');
  if ('part' in asked) return parts?.[asked.part] ?? 0;
  if ('contains' in asked) return Number(completion.includes(asked.contains));
  if ('lacks' in asked) return Number(!completion.includes(asked.lacks));
  if ('starts_with' in asked) return Number(completion.trim().startsWith(asked.starts_with));
  if ('ends_with' in asked) return Number(completion.trim().endsWith(asked.ends_with));
  const words = wordsOf(completion).length;
  return Number('most_words' in asked ? words <= asked.most_words : words >= asked.least_words);
}
