/**
 * A text that is rewritten by rules: at each step the first rule that applies, at the first place where it does. It ends
 * where no rule applies, or where the next text was there before.
 *
 * A rule replaces what precedes `=`, anywhere, at the start of the text (`^`) or at its end (`$`).
 */
import { drawWord, judgeText, LETTERS, lineTask, type Rng, textMisses } from '../../kit.ts';
import { type StringManipulationKnobs, stringManipulationCard } from './card.ts';

export type RewriteRule = { readonly where: '' | '^' | '$'; readonly from: string; readonly to: string };
export type StringManipulationItem = { readonly rules: readonly RewriteRule[]; readonly text: string };

/** A problem that needs more is left out. */
const MOST_STEPS = 24;
/** Letters that a text may become longer by. */
const MOST_GROWTH = 6;

/** The text after one step; undefined where no rule applies. */
function stepped(text: string, rules: readonly RewriteRule[]): string | undefined {
  for (const { where, from, to } of rules) {
    const at = where === '$' ? text.length - from.length : where === '^' ? 0 : text.indexOf(from);
    if (at >= 0 && text.startsWith(from, at)) return text.slice(0, at) + to + text.slice(at + from.length);
  }
  return undefined;
}

/** All texts up to the last one; undefined where there are too many, or one is too long. */
function textsOf({ rules, text }: StringManipulationItem): string[] | undefined {
  const texts = [text];
  for (let now = text; texts.length <= MOST_STEPS + 1; ) {
    const next = stepped(now, rules);
    if (next === undefined || texts.includes(next)) return texts;
    if (next.length > text.length + MOST_GROWTH) return undefined;
    texts.push(next);
    now = next;
  }
  return undefined;
}

/** Where it ends: `generate` gives only problems that do. */
const endOf = (item: StringManipulationItem): string => textsOf(item)?.at(-1) as string;

function drawRule(rng: Rng, letters: number): RewriteRule {
  const where = (['', '', '^', '$'] as const)[rng.int(0, 3)] as '' | '^' | '$';
  return { where, from: drawWord(rng, rng.int(1, 3), letters), to: drawWord(rng, rng.int(0, 3), letters) };
}

const ruleText = ({ where, from, to }: RewriteRule): string =>
  `${where === '^' ? '^' : ''}${from}${where === '$' ? '$' : ''}=${to}`;

const taskText = ({ rules, text }: StringManipulationItem): string => `${rules.map(ruleText).join(',')}:${text}`;

function sentence({ where, from, to }: RewriteRule, index: number): string {
  const place = where === '^' ? 'at the start' : where === '$' ? 'at the end' : 'at its first place';
  return `${index + 1}. ${to === '' ? `remove ${from} ${place}` : `replace ${from} ${place} by ${to}`}`;
}

export const stringManipulation = lineTask<StringManipulationItem, StringManipulationKnobs>(stringManipulationCard, {
  characters: 'abcde=,^$:>',
  generate(rng, { rules: most, length, letters }) {
    const rules = Array.from({ length: rng.int(2, most) }, () => drawRule(rng, letters));
    const isRule = ({ from, to }: RewriteRule): boolean => from !== to;
    if (!rules.every(isRule) || new Set(rules.map(ruleText)).size < rules.length) return null;
    const item = { rules, text: drawWord(rng, rng.int(4, length), letters) };
    const texts = textsOf(item);
    // An end of one letter would be guessed, and of problems of a single step two in three are left out.
    if (texts === undefined || texts.length === 1 || (texts.at(-1) as string).length < 2) return null;
    return texts.length === 2 && rng.int(0, 2) > 0 ? null : item;
  },
  key: (item) => `rewrite|${taskText(item)}`,
  prompt: (item) => `${taskText(item)}>`,
  question: ({ rules, text }) =>
    `Rewrite the text ${text}. At each step apply the first of these rules that can be applied: ${rules.map(sentence).join('; ')}. ` +
    'Stop when none can be applied, or when the next text was there before. Give the last text.',
  separator: '',
  oracle: endOf,
  verify: (item, answer) => judgeText(answer, endOf(item)),
  mutants: (item, { letters }, rng) => {
    const texts = textsOf(item) as string[];
    const right = texts.at(-1) as string;
    return {
      ...textMisses(right, LETTERS.slice(0, letters), rng),
      'left as given': item.text,
      'one step short': texts.at(-2) as string,
      'all of its texts': texts.join(','),
      'a rule': ruleText(item.rules[0] as RewriteRule),
      quoted: `=${right}`,
    };
  },
  chance: ({ length }) => (length <= 6 ? 0.1 : 0.05),
  longest: ({ rules, length }) => ({
    prompt: 9 * rules + length + 2,
    answer: length + MOST_GROWTH,
    question: 260 + 45 * rules + length,
  }),
});
