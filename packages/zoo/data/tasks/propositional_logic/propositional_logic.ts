/**
 * A conclusion from premises of propositional logic. Right is whatever all premises entail together and none of them
 * by itself, is no tautology, has no variable of its own, and one connective at most: else all premises in one would be
 * an answer to everything.
 *
 *   split       by hash of the truth tables, in an order of variables and premises that makes them least
 */
import {
  type Formula,
  formulaParts,
  formulaText,
  readFormula,
  TAUTOLOGY,
  type TruthTable,
  truthTable,
} from '../../../parsing/propositional_logic.ts';
import { drawFormula, formulaOf } from '../../formulas.ts';
import { correct, illegal, lineTask, malformed, missing, trimAscii, wrongValue } from '../../kit.ts';
import { ordersOf } from '../../search/orders.ts';
import { type PropositionalLogicKnobs, propositionalLogicCard } from './card.ts';

export type PropositionalLogicItem = { readonly premises: readonly string[] };

const LETTERS = ['P', 'Q', 'R', 'S', 'T', 'U', 'W', 'X'];

/** The variables of the premises, in the order of the alphabet. */
function variablesOf(premises: readonly Formula[]): string[] {
  return [...new Set(premises.flatMap((premise) => [...formulaParts(premise).variables]))].sort();
}

const entails = (table: TruthTable, other: TruthTable): boolean => (table & other) === table;

/** Whether a table is entailed by all and by none alone, and says something. */
function isNew(table: TruthTable, premises: readonly TruthTable[], all: TruthTable): boolean {
  return table !== TAUTOLOGY && entails(all, table) && !premises.some((premise) => entails(premise, table));
}

const together = (tables: readonly TruthTable[]): TruthTable => tables.reduce((all, table) => all & table, TAUTOLOGY);

/** Formulas that may be a conclusion, the simplest first. */
function candidates(variables: readonly string[]): Formula[] {
  const literals = variables.flatMap((name): Formula[] => [
    { kind: 'variable', name },
    { kind: 'not', of: { kind: 'variable', name } },
  ]);
  const pairs = literals.flatMap((left, i) => literals.slice(i + 1).map((right) => ({ left, right })));
  const joined = (['or', 'iff', 'and'] as const).flatMap((kind) => pairs.map((pair): Formula => ({ kind, ...pair })));
  return [...literals, ...joined];
}

/** The simplest conclusion; undefined where there is none. */
function conclusionOf(premises: readonly Formula[]): Formula | undefined {
  const variables = variablesOf(premises);
  const tables = premises.map((premise) => truthTable(premise, variables));
  const all = together(tables);
  return candidates(variables).find((formula) => isNew(truthTable(formula, variables), tables, all));
}

function tablesInOrder(premises: readonly Formula[], variables: readonly string[]): string {
  return premises
    .map((premise) => truthTable(premise, variables).toString(16))
    .sort()
    .join(',');
}

const asFormulas = ({ premises }: PropositionalLogicItem): Formula[] => premises.map(formulaOf);

export const propositionalLogic = lineTask<PropositionalLogicItem, PropositionalLogicKnobs>(propositionalLogicCard, {
  characters: `so ${LETTERS.join('')}!&v-<>(),`,
  answers: 'open',
  generate(rng, knobs) {
    const names = rng.shuffle([...LETTERS]).slice(0, knobs.variables);
    const premises = Array.from({ length: knobs.premises }, () => drawFormula(rng, names, knobs.depth));
    // Two premises of a variable each are a conclusion once an "and" joins them.
    if (premises.filter((premise) => formulaParts(premise).connectives === 0).length > 1) return null;
    if (variablesOf(premises).length < names.length) return null;
    const tables = premises.map((premise) => truthTable(premise, names));
    if (together(tables) === 0n || tables.includes(TAUTOLOGY) || new Set(tables).size < tables.length) return null;
    return conclusionOf(premises) === undefined ? null : { premises: premises.map(formulaText) };
  },
  key(item) {
    const premises = asFormulas(item);
    const variables = variablesOf(premises);
    return `logic|${variables.join('')}|${tablesInOrder(premises, variables)}`;
  },
  splitKey(item) {
    const premises = asFormulas(item);
    const forms = ordersOf(variablesOf(premises)).map((variables) => tablesInOrder(premises, variables));
    return `logic|${forms.sort()[0]}`;
  },
  prompt: ({ premises }) => `so ${premises.join(', ')}>`,
  question: ({ premises }) =>
    `In these premises ! means not, & and, v or, -> implies and <-> if and only if: ${premises.join(', ')}. Give a formula that follows from all of them together, but from none of them alone. It may join two variables, or their negations, by one sign at most.`,
  oracle: (item) => formulaText(conclusionOf(asFormulas(item)) as Formula), // each problem has one
  verify(item, answer) {
    const reading = readFormula(answer);
    if (!reading.ok) return trimAscii(answer) === '' ? missing('the answer is empty') : malformed(reading.reason);
    const { formula } = reading;
    const { variables, connectives } = formulaParts(formula);
    const premises = asFormulas(item);
    const known = variablesOf(premises);
    if (connectives > 1) return illegal('more than one connective');
    if (![...variables].every((name) => known.includes(name))) return illegal('a variable that no premise has');
    const table = truthTable(formula, known);
    const tables = premises.map((premise) => truthTable(premise, known));
    const canonical = `${known.join('')}|${table.toString(16)}`;
    if (table === TAUTOLOGY) return { ...wrongValue('it is true whatever the premises say'), canonical };
    if (!entails(together(tables), table)) return { ...wrongValue('it does not follow'), canonical };
    return tables.some((premise) => entails(premise, table))
      ? { ...wrongValue('it follows from one premise alone'), canonical }
      : correct('it follows from the premises together', canonical);
  },
  mutants(item) {
    const right = formulaText(conclusionOf(asFormulas(item)) as Formula); // each problem has one
    const [name = 'P'] = variablesOf(asFormulas(item));
    const unknown = LETTERS.find((letter) => !item.premises.join('').includes(letter)) as string; // 5 of 8 at most
    return {
      'a premise again': item.premises[0] as string,
      'another premise again': item.premises[item.premises.length - 1] as string,
      'all premises in one': item.premises.map((premise) => `(${premise})`).join('&'),
      'a tautology': `${name}v!${name}`,
      'a contradiction': `${name}&!${name}`,
      'its opposite': `!(${right})`,
      'an unknown variable beside it': `(${right})v${unknown}`,
      'an unknown variable': unknown,
      'given twice': `${right}, ${right}`,
      'given twice, joined': `(${right})&(${right})&(${right})`,
      'in small letters': right.toLowerCase(),
      'a bracket not closed': `(${right}`,
    };
  },
  /** Counted: the best formula, a single variable, is right in one of seven at most. */
  chance: () => 0.2,
  longest: ({ premises, depth }) => {
    const leaves = 2 ** depth;
    const premise = 2 * leaves + 5 * (leaves - 1);
    return { prompt: 4 + premises * (premise + 2), answer: 7, question: 320 + premises * (premise + 2) };
  },
});
