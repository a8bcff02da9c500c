/**
 * A tariff of rules, in the prompt, applied to values: the sum that is due.
 *
 *   prompt      due a5 b2: +3 a>4:+2 b<1:-1 +2b>     completion  9
 *               a rule adds, takes away, or adds a multiple of a value; where it has a condition, only if that holds.
 *               t is the sum so far, and `t>9:=9` sets it
 *   hints       the sum after each rule but the last
 *   split       by hash of values and rules; the order of rules counts, that of values does not
 */
import { growingParts } from '../../judging/sequence_help.ts';
import { inOrder, judgeNumber, lineTask, numberMisses, type Rng, rotated } from '../../kit.ts';
import { type RulesCalcKnobs, rulesCalcCard } from './card.ts';

/** `values` such as a5, `rules` such as a>4:+2. */
export type RulesCalcItem = { readonly values: readonly string[]; readonly rules: readonly string[] };

const NAMES = 'abcd';
const TOTAL = 't';
/** Largest number that a rule adds, and largest factor. */
const [MOST_ADDED, MOST_TIMES] = [9, 3];

/** The sum after a rule. */
function applied(rule: string, total: number, values: ReadonlyMap<string, number>): number {
  const [action, condition] = rule.split(':').reverse();
  const named = (name: string): number => (name === TOTAL ? total : (values.get(name) ?? 0));
  if (condition !== undefined) {
    const [left, right] = [named(condition[0]), Number(condition.slice(2))];
    if (condition[1] === '>' ? left <= right : left >= right) return total;
  }
  const name = /[a-z]$/.exec(action)?.[0];
  const amount = Number(action.slice(1, name === undefined ? undefined : -1)) * (name === undefined ? 1 : named(name));
  if (action[0] === '=') return amount;
  return action[0] === '+' ? total + amount : total - amount;
}

function sums({ values, rules }: RulesCalcItem): number[] {
  const known = new Map(values.map((value) => [value[0], Number(value.slice(1))]));
  let total = 0;
  return rules.map((rule) => {
    total = applied(rule, total, known);
    return total;
  });
}

const dueOf = (item: RulesCalcItem): number => sums(item).at(-1) ?? 0;

function drawRule(rng: Rng, names: readonly string[], max: number, isFirst: boolean): string {
  const kind = isFirst ? rng.int(0, 2) : rng.int(0, 6);
  const added = `+${rng.int(1, MOST_ADDED)}`;
  const times = `+${rng.int(1, MOST_TIMES)}${rng.pick(names)}`;
  const condition = `${rng.pick(names)}${rng.pick(['<', '>'])}${rng.int(1, max)}`;
  if (kind === 0) return added;
  if (kind === 1) return times;
  if (kind === 2 || kind === 3) return `${condition}:${rng.pick([added, times])}`;
  if (kind === 4) return `${condition}:-${rng.int(1, MOST_ADDED)}`;
  const bound = rng.int(2, MOST_ADDED + max);
  return kind === 5 ? `t>${bound}:=${bound}` : `t>${bound}:-${rng.int(1, bound)}`;
}

function inEnglish(rule: string): string {
  const [action, condition] = rule.split(':').reverse();
  const name = /[a-z]$/.exec(action)?.[0];
  const amount = name === undefined ? action.slice(1) : `${action.slice(1, -1)} times ${name}`;
  const doing = { '+': `add ${amount}`, '-': `take away ${amount}`, '=': `the sum becomes ${amount}` }[action[0]];
  if (condition === undefined) return `${doing}`;
  const subject = condition[0] === TOTAL ? 'the sum so far' : condition[0];
  return `if ${subject} is ${condition[1] === '>' ? 'more' : 'less'} than ${condition.slice(2)}, ${doing}`;
}

export const rulesCalc = lineTask<RulesCalcItem, RulesCalcKnobs>(rulesCalcCard, {
  characters: `due ${NAMES}t0123456789:<>+-=`,
  generate(rng, { rules, values, max }) {
    const names = NAMES.slice(0, values).split('');
    const item = {
      values: names.map((name) => name + rng.int(0, max)),
      rules: Array.from({ length: rules }, (_, i) => drawRule(rng, names, max, i === 0)),
    };
    // A rule that never does anything is allowed; a sum of nothing is not.
    return dueOf(item) === 0 ? null : item;
  },
  key: ({ values, rules }) => `rules_calc|${inOrder(values).join(' ')}|${rules.join(' ')}`,
  prompt: ({ values, rules }) => `due ${values.join(' ')}: ${rules.join(' ')}>`,
  twin: ({ values, rules }) => (values.length > 1 ? { values: rotated(values), rules } : null),
  question: ({ values, rules }) =>
    `A tariff has these rules, in this order, and the sum begins at 0: ${rules.map(inEnglish).join('; ')}. ` +
    `What is the sum for ${values.map((value) => `${value[0]} = ${value.slice(1)}`).join(', ')}?`,
  oracle: (item) => String(dueOf(item)),
  verify: (item, answer) => judgeNumber(answer, dueOf(item)),
  hints(item) {
    return growingParts(sums(item), ' ').filter((hint) => hint !== String(dueOf(item))); // the rules after the first may do nothing
  },
  mutants(item) {
    const misses = {
      ...numberMisses(dueOf(item)),
      'all sums': [0, ...sums(item)].join(' '),
      'the values': item.values.join(' '),
    };
    const before = sums(item).at(-2);
    return before === undefined || before === dueOf(item)
      ? misses
      : { ...misses, 'the last rule left out': String(before) };
  },
  /** The commonest sum of a rule or two. */
  chance: ({ rules }) => (rules <= 2 ? 0.25 : 0.15),
  longest: ({ rules, values, max }) => ({
    prompt: 6 + values * (2 + String(max).length) + rules * (9 + 2 * String(max).length),
    answer: 5,
    question: 200 + 20 * values + 55 * rules,
  }),
});
