/**
 * Formulas of propositional logic as an answer, with their truth tables.
 *
 *   formula = implication {"↔" implication}             implication = disjunction ["→" implication]
 *   disjunction = conjunction {"∨" conjunction}         conjunction = operand {"∧" operand}
 *   operand = "¬" operand | variable | "(" formula ")"  variable = a capital letter
 *
 * `!` and `~` are ¬, `&` is ∧, `v` and `|` are ∨, `->` is →, `<->` is ↔. Spaces may separate signs.
 */
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

const MAX_FORMULA_LENGTH = 256;

export type Connective = 'and' | 'or' | 'implies' | 'iff';

/** A formula as a tree; variables are capital letters. */
export type Formula =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'not'; readonly of: Formula }
  | { readonly kind: Connective; readonly left: Formula; readonly right: Formula };

/** The formula of a text, or why it is none. */
export type FormulaReading =
  | { readonly ok: true; readonly formula: Formula }
  | { readonly ok: false; readonly reason: string };

const SIGNS: Readonly<Record<string, Connective | 'not' | '(' | ')'>> = {
  '¬': 'not',
  '!': 'not',
  '~': 'not',
  '∧': 'and',
  '&': 'and',
  '∨': 'or',
  '|': 'or',
  v: 'or',
  '→': 'implies',
  '->': 'implies',
  '↔': 'iff',
  '<->': 'iff',
  '(': '(',
  ')': ')',
};

/** The formula that a text is. Total and pure. */
export function readFormula(answer: string): FormulaReading {
  const text = trimAscii(answer);
  if (text === '') return { ok: false, reason: 'the answer is empty' };
  if (text.length > MAX_FORMULA_LENGTH) return { ok: false, reason: `longer than ${MAX_FORMULA_LENGTH} characters` };
  const tokens = tokensOf(text);
  if (tokens === undefined) return { ok: false, reason: 'something is neither a variable nor a sign' };
  const reader = new FormulaReader(tokens);
  const formula = reader.formula();
  return formula !== undefined && reader.isAtEnd
    ? { ok: true, formula }
    : { ok: false, reason: 'a sign, a variable or a bracket is missing' };
}

/** Variables as they are, signs by their names; undefined where something is neither. */
function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  for (let i = 0; i < text.length; ) {
    const character = text[i] as string;
    const sign = text.startsWith('<->', i) ? '<->' : text.startsWith('->', i) ? '->' : character;
    if (character >= 'A' && character <= 'Z') tokens.push(character);
    else if (Object.hasOwn(SIGNS, sign)) tokens.push(SIGNS[sign] as string);
    else if (character !== ' ') return undefined;
    i += sign.length;
  }
  return tokens;
}

/** Recursive descent; each rule gives undefined where the text ends too early or has another sign. */
class FormulaReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  /** Operands of one sign, from left to right. */
  #chain(kind: Connective, operand: () => Formula | undefined): Formula | undefined {
    let left = operand();
    while (left !== undefined && this.#takes(kind)) {
      const right = operand();
      left = right && { kind, left, right };
    }
    return left;
  }

  formula(): Formula | undefined {
    return this.#chain('iff', () => this.#implication());
  }

  #implication(): Formula | undefined {
    const left = this.#chain('or', () => this.#chain('and', () => this.#operand()));
    if (left === undefined || !this.#takes('implies')) return left;
    const right = this.#implication();
    return right && { kind: 'implies', left, right };
  }

  #operand(): Formula | undefined {
    if (this.#takes('not')) {
      const of = this.#operand();
      return of && { kind: 'not', of };
    }
    if (this.#takes('(')) {
      const inside = this.formula();
      return this.#takes(')') ? inside : undefined;
    }
    const name = this.#tokens[this.#at];
    if (name === undefined || name.length !== 1 || name === ')') return undefined;
    this.#at++;
    return { kind: 'variable', name };
  }
}

const TEXTS: Readonly<Record<Connective, string>> = { and: '&', or: 'v', implies: '->', iff: '<->' };

/** A formula in ASCII signs, with brackets around every operand that is made of two. */
export function formulaText(formula: Formula): string {
  if (formula.kind === 'variable') return formula.name;
  if (formula.kind === 'not') return `!${operandText(formula.of)}`;
  return operandText(formula.left) + TEXTS[formula.kind] + operandText(formula.right);
}

function operandText(formula: Formula): string {
  const text = formulaText(formula);
  return formula.kind === 'variable' || formula.kind === 'not' ? text : `(${text})`;
}

/** The names of its variables, each once, and how many signs join two formulas in it. */
export function formulaParts(formula: Formula): {
  readonly variables: ReadonlySet<string>;
  readonly connectives: number;
} {
  const variables = new Set<string>();
  let connectives = 0;
  const visit = (part: Formula): void => {
    if (part.kind === 'variable') variables.add(part.name);
    else if (part.kind === 'not') visit(part.of);
    else {
      connectives++;
      visit(part.left);
      visit(part.right);
    }
  };
  visit(formula);
  return { variables, connectives };
}

/** Truth values of a formula in all worlds, a bit each: variable i is true in world w where bit i of w is set. */
export type TruthTable = bigint;

/** Most variables of a truth table: 64 worlds. */
const MAX_VARIABLES = 6;
/** True in every world, also where there are fewer variables: worlds then repeat. */
export const TAUTOLOGY: TruthTable = 2n ** 64n - 1n;

/** The tables of the variables themselves. */
const OF_VARIABLES: readonly TruthTable[] = Array.from({ length: MAX_VARIABLES }, (_, i) => {
  let table = 0n;
  for (let world = 0; world < 64; world++) if ((world >> i) & 1) table |= 1n << BigInt(world);
  return table;
});

/**
 * The truth table of a formula.
 *
 * @param variables  their order is that of the bits of a world; at most `MAX_VARIABLES`
 * @throws RangeError on a variable that is not among them
 */
export function truthTable(formula: Formula, variables: readonly string[]): TruthTable {
  switch (formula.kind) {
    case 'variable': {
      const table = OF_VARIABLES[variables.indexOf(formula.name)];
      if (table === undefined) throw new RangeError(`${formula.name} is none of ${variables.join(', ')}`);
      return table;
    }
    case 'not':
      return TAUTOLOGY ^ truthTable(formula.of, variables);
  }
  const left = truthTable(formula.left, variables);
  const right = truthTable(formula.right, variables);
  switch (formula.kind) {
    case 'and':
      return left & right;
    case 'or':
      return left | right;
    case 'implies':
      return (TAUTOLOGY ^ left) | right;
    case 'iff':
      return TAUTOLOGY ^ left ^ right;
  }
}
