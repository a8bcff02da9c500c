/**
 * A case and a statute of rules with exceptions; the answer is that of the rules' interpreter.
 *
 *   prompt      case a b: 1a+q 2b-q 3q+r, r>     completion  no 0
 *               rule 1: where a holds, q does; rule 2: where b holds, q does not. !c: where c does not hold. Rules
 *               are applied once, in their order, so a later one is an exception to an earlier one
 *   answer      whether what is asked holds at the end, and the last rule that said so, 0 for none
 *   hints       what each of the first rules says: + holds, - does not, 0 nothing
 *   split       by hash of facts and rules; the order of rules counts, that of facts does not
 */
import { growingParts } from '../../judging/sequence_help.ts';
import { correct, inOrder, lineTask, malformed, missing, type Rng, rotated, trimAscii, wrongValue } from '../../kit.ts';
import { type StatutesKnobs, statutesCard } from './card.ts';

/** `rules` without their numbers, such as `a!b+q`. */
export type StatutesItem = {
  readonly facts: readonly string[];
  readonly rules: readonly string[];
  readonly asked: string;
};

/** What a case may be said to be, and what the statute concludes. */
const [FACTS, CONCLUSIONS] = ['abcdefg', 'pqrs'];

/** What each rule says, in its order, and what holds at the end. */
function interpreted({ facts, rules }: StatutesItem): { readonly said: string[]; readonly holds: ReadonlySet<string> } {
  const holds = new Set(facts);
  const said = rules.map((rule) => {
    const sign = rule.at(-2) as string; // + or -
    const conditions = rule.slice(0, -2).match(/!?[a-z]/g) ?? [];
    const isMet = conditions.every((one) => holds.has(one.slice(-1)) !== one.startsWith('!'));
    if (!isMet) return '0';
    if (sign === '+') holds.add(rule.slice(-1));
    else holds.delete(rule.slice(-1));
    return sign;
  });
  return { said, holds };
}

function answerOf(item: StatutesItem): string {
  const { said, holds } = interpreted(item);
  const deciding = said.findLastIndex((sign, i) => sign !== '0' && item.rules[i].endsWith(item.asked));
  return `${holds.has(item.asked) ? 'yes' : 'no'} ${deciding + 1}`;
}

function drawRule(rng: Rng, earlier: readonly string[]): string {
  const concluded = [...new Set(earlier.map((rule) => rule.slice(-1)))];
  const first = concluded.length > 0 && rng.int(0, 1) === 0 ? rng.pick(concluded) : rng.pick(FACTS.split(''));
  const second = rng.pick([...FACTS.split(''), ...concluded]);
  const conditions = [first, ...(second !== first && rng.int(0, 1) === 0 ? [second] : [])];
  const signed = conditions.map((one) => (rng.int(0, 3) === 0 ? `!${one}` : one)).join('');
  const conclusion = rng.pick(CONCLUSIONS.split('').filter((one) => !conditions.includes(one)));
  return `${signed}${concluded.includes(conclusion) && rng.int(0, 1) === 0 ? '-' : '+'}${conclusion}`;
}

function inEnglish(rule: string, place: number): string {
  const conditions = rule.slice(0, -2).match(/!?[a-z]/g) ?? [];
  const when = conditions.map((one) => (one.startsWith('!') ? `not ${one.slice(1)}` : one)).join(' and ');
  return `${place + 1}. If ${when}, then ${rule.at(-2) === '-' ? 'not ' : ''}${rule.slice(-1)}.`;
}

export const statutes = lineTask<StatutesItem, StatutesKnobs>(statutesCard, {
  characters: `case yno0123456789:,>!+-${FACTS}${CONCLUSIONS}`,
  generate(rng, { facts, rules }) {
    const drawn: string[] = [];
    while (drawn.length < rules) drawn.push(drawRule(rng, drawn));
    const item = {
      facts: rng.shuffle(FACTS.split('')).slice(0, facts),
      rules: drawn,
      asked: rng.pick(drawn).slice(-1),
    };
    // What no rule decides is mostly drawn again, so that `no 0` is no good guess.
    return answerOf(item).endsWith(' 0') && rng.int(0, 4) > 0 ? null : item;
  },
  key: ({ facts, rules, asked }) => `statutes|${inOrder(facts).join('')}|${rules.join(' ')}|${asked}`,
  prompt: ({ facts, rules, asked }) =>
    `case ${facts.join(' ')}: ${rules.map((rule, i) => `${i + 1}${rule}`).join(' ')}, ${asked}>`,
  twin: (item) => (item.facts.length > 1 ? { ...item, facts: rotated(item.facts) } : null),
  question: ({ facts, rules, asked }) =>
    `In a case ${facts.join(', ')} hold and nothing else. A statute has these rules, applied once in their order: ${rules.map(inEnglish).join(' ')} ` +
    `Does ${asked} hold in the end? Answer yes or no, and the number of the last rule that decided on ${asked}, 0 for none; for example: yes 1.`,
  oracle: answerOf,
  verify(item, answer) {
    const text = trimAscii(answer);
    if (text === '') return missing('the answer is empty');
    if (!/^(?:yes|no) [0-9]$/.test(text)) return malformed('not yes or no and a rule');
    if (text === answerOf(item)) return correct('as the rules decide', text);
    const isSame = text.split(' ')[0] === answerOf(item).split(' ')[0];
    return { ...wrongValue(isSame ? 'another rule decides' : 'the rules decide otherwise'), canonical: text };
  },
  hints: (item) => growingParts(interpreted(item).said, ''),
  mutants(item) {
    const [word, rule] = answerOf(item).split(' ');
    const other = word === 'yes' ? 'no' : 'yes';
    return {
      'the other word': `${other} ${rule}`,
      'another rule': `${word} ${(Number(rule) + 1) % 10}`,
      'the word alone': word,
      'the rule alone': rule,
      both: `${word} ${rule} ${other} ${rule}`,
      'the other way round': `${rule} ${word}`,
      joined: word + rule,
      'in capitals': `${word.toUpperCase()} ${rule}`,
    };
  },
  /** Counted: `yes` and the last rule, or the first of two. */
  chance: ({ rules }) => (rules <= 2 ? 0.5 : 0.4),
  longest: ({ rules, facts }) => ({
    prompt: 9 + 2 * facts + 8 * rules,
    answer: 5,
    question: 300 + 3 * facts + 36 * rules,
  }),
});
