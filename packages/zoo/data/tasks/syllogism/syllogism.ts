/**
 * Whether a conclusion follows from statements of the forms `all b c`, `no b c`, `some b c`, `some b not c`, where of
 * each kind there is something (existential import).
 *
 *   split       by hash of the statements, premises in order, as `no b c` is `no c b` and `some b c` is `some c b`
 *
 * All moods and figures are drawn. Half of the conclusions follow; the others differ from such a one in one statement.
 * There are too few valid forms to hold some of them out: held-out problems have the terms for their own.
 */
import { judgeTruth } from '../../judging/judge.ts';
import { LETTERS, lineTask, type Rng, rotated, truthMisses } from '../../kit.ts';
import { type SyllogismKnobs, syllogismCard } from './card.ts';

/** A form and two terms: `Abc` is all b are c, `E` none, `I` some, `O` some are not. */
type Statement = string;

export type SyllogismItem = { readonly premises: readonly Statement[]; readonly conclusion: Statement };

const FORMS = 'AEIO';
/** What is true exactly where a statement is not. */
const OPPOSITE: Readonly<Record<string, string>> = { A: 'O', E: 'I', I: 'E', O: 'A' };

/** Most draws; the first that is right is taken. */
const MOST_DRAWS = 400;

/**
 * Whether statements can be true together, where there is something of each kind. What there is differs by the kinds
 * that it is of: a region of 2^terms each, and a bit. Statements of all and no empty regions; the others, and each kind,
 * ask for something in one of several.
 */
function areConsistent(statements: readonly Statement[], terms: readonly string[]): boolean {
  const regions = Array.from({ length: 2 ** terms.length }, (_, region) => region);
  const areas = terms.map((_, i) => regions.reduce((bits, region) => bits | (((region >> i) & 1) << region), 0));
  const areaOf = (term: string): number => areas[terms.indexOf(term)] as number;
  const concerned = ([form, one = '', other = '']: Statement): number =>
    areaOf(one) & (form === 'E' || form === 'I' ? areaOf(other) : ~areaOf(other));
  let emptied = 0;
  const asked = [...areas];
  for (const statement of statements) {
    if (statement[0] === 'A' || statement[0] === 'E') emptied |= concerned(statement);
    else asked.push(concerned(statement));
  }
  return asked.every((area) => (area & ~emptied) !== 0);
}

function follows({ premises, conclusion }: SyllogismItem): boolean {
  const terms = [...new Set(premises.join('').replace(/[A-Z]/g, ''))];
  return !areConsistent([...premises, OPPOSITE[conclusion[0] as string] + conclusion.slice(1)], terms);
}

/** One form between two terms, in an order by chance. */
function drawStatement(rng: Rng, one: string, other: string): Statement {
  return rng.pick(FORMS.split('')) + (rng.int(0, 1) === 0 ? one + other : other + one);
}

/** A chain of statements from the first to the last term, and one of these two. */
function drawSyllogism(rng: Rng, terms: readonly string[]): SyllogismItem {
  const premises = terms.slice(1).map((term, i) => drawStatement(rng, terms[i] as string, term));
  const conclusion = rng.pick(FORMS.split('')) + terms[0] + terms[terms.length - 1];
  return { premises: rng.shuffle(premises), conclusion };
}

/** One statement drawn again. */
function changed(rng: Rng, { premises, conclusion }: SyllogismItem): SyllogismItem {
  const at = rng.int(0, premises.length);
  const again = ([, one = '', other = '']: Statement): Statement => drawStatement(rng, one, other);
  if (at === premises.length) return { premises, conclusion: rng.pick(FORMS.split('')) + conclusion.slice(1) };
  return { premises: premises.map((premise, i) => (i === at ? again(premise) : premise)), conclusion };
}

/** `no b c` and `no c b` are one statement. */
function canonical(statement: Statement): Statement {
  const [form = '', one = '', other = ''] = statement;
  return (form === 'E' || form === 'I') && other < one ? form + other + one : statement;
}

function inWords([form, one, other]: Statement): string {
  if (form === 'A') return `all ${one} ${other}`;
  if (form === 'E') return `no ${one} ${other}`;
  return form === 'I' ? `some ${one} ${other}` : `some ${one} not ${other}`;
}

function inEnglish([form, one, other]: Statement): string {
  if (form === 'A') return `all ${one} are ${other}`;
  if (form === 'E') return `no ${one} are ${other}`;
  return form === 'I' ? `some ${one} are ${other}` : `some ${one} are not ${other}`;
}

export const syllogism = lineTask<SyllogismItem, SyllogismKnobs>(syllogismCard, {
  characters: `${LETTERS} ,:>`,
  generate(rng, { premises }) {
    const terms = rng.shuffle(LETTERS.split('')).slice(0, premises + 1);
    const isMeantToFollow = rng.int(0, 1) === 1;
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      const drawn = drawSyllogism(rng, terms);
      if (!follows(drawn)) continue;
      if (isMeantToFollow) return drawn;
      const near = changed(rng, drawn);
      if (!follows(near)) return near;
    }
    return null;
  },
  key: ({ premises, conclusion }) => `syllogism|${premises.map(canonical).sort().join(' ')}|${canonical(conclusion)}`,
  twin: (item) => ({ ...item, premises: rotated(item.premises) }),
  prompt: ({ premises, conclusion }) => `${premises.map(inWords).join(', ')}: ${inWords(conclusion)}>`,
  question: ({ premises, conclusion }) =>
    `There is at least one of each kind of things. Suppose that ${premises.map(inEnglish).join(', and that ')}. Does it follow that ${inEnglish(conclusion)}? Answer yes or no.`,
  oracle: (item) => (follows(item) ? 'yes' : 'no'),
  verify: (item, answer) => judgeTruth(answer, follows(item), ['yes', 'no']),
  mutants: (item) => ({ ...truthMisses(follows(item)), 'the conclusion': inWords(item.conclusion) }),
  chance: () => 0.5,
  longest: ({ premises }) => ({ prompt: 14 * (premises + 1) + 2, answer: 3, question: 140 + 35 * (premises + 1) }),
});
