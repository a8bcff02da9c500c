/** What rewards compare an answer with: the problem's right answer, or a column of it, read in some form. */
import { readNumber } from '../../../src/parsing/number.ts';
import { answerText } from '../../../src/rewards/answer_text.ts';
import type { RewardFunction, RewardItem } from '../../../src/rewards/reward_function.ts';
import { readList } from '../parsing/list.ts';

/** How a truth is read: its form in words, and what reads it. */
export interface TruthForm<T> {
  /** `a list`: what it must be. */
  readonly form: string;
  /** Undefined for what has another form. */
  read(value: unknown): T | undefined;
}

export const textForm: TruthForm<string> = {
  form: 'a text',
  read: (value) => (typeof value === 'string' || typeof value === 'number' ? answerText(String(value)) : undefined),
};

export const listForm: TruthForm<readonly string[]> = {
  form: 'a list',
  read(value) {
    if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(String);
    const list = typeof value === 'string' ? readList(answerText(value)) : undefined;
    return list?.ok && list.elements.length > 0 ? list.elements : undefined;
  },
};

export const numberForm: TruthForm<number> = {
  form: 'a number',
  read(value) {
    if (typeof value === 'number') return value;
    const number = typeof value === 'string' ? readNumber(answerText(value)) : undefined;
    return number?.ok ? number.value.valueOf() : undefined;
  },
};

/** The truth of a problem; undefined where it has none of this form. */
export function truthOf<T>({ read }: TruthForm<T>, item: RewardItem, column: string | undefined): T | undefined {
  return read(column === undefined ? item.answer : item.columns?.[column]);
}

/** Why a problem has no truth of a form: `what is so; remedy`. */
export function lacksTruth<T>(form: TruthForm<T>, item: RewardItem, column: string | undefined): string | undefined {
  if (truthOf(form, item, column) !== undefined) return undefined;
  if (column === undefined) {
    return `the right answer ${JSON.stringify(item.answer)} is not ${form.form}; name a column that is, or another reward`;
  }
  const columns = Object.keys(item.columns ?? {});
  if (!columns.includes(column)) {
    const there = columns.length === 0 ? 'has none' : `has ${columns.join(', ')}`;
    return `a problem has no column ${column} (it ${there}); give one by \`columns\` of the task or of a data set's rows`;
  }
  return `column ${column} is not ${form.form}; give it that form`;
}

export interface Comparison<T> {
  readonly name: string;
  readonly range: readonly [least: number, most: number];
  readonly truth: TruthForm<T>;
  readonly column: string | undefined;
  /** Reward of a completion that the token limit cut. */
  readonly ifCut?: number;
  /** @param answer  what the completion answers; may be empty */
  score(answer: string, truth: T, item: RewardItem): number;
}

/** A reward that compares each answer with the truth; null where a problem has none. */
export function comparing<T>({ name, range, truth: form, column, ifCut = 0, score }: Comparison<T>): RewardFunction {
  return {
    name,
    range,
    refuses: (item) => lacksTruth(form, item, column),
    score: ({ completions, items, verdicts }) =>
      completions.map((completion, row) => {
        const truth = truthOf(form, items[row], column);
        if (truth === undefined) return null;
        return verdicts[row].status === 'truncated' ? ifCut : score(answerText(completion), truth, items[row]);
      }),
  };
}
