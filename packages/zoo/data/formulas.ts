/** Formulas of propositional logic as tasks ask them. */
import type { Rng } from '../../../src/kernels/philox.ts';
import { type Connective, type Formula, readFormula } from '../parsing/propositional_logic.ts';

const CONNECTIVES: readonly Connective[] = ['and', 'or', 'implies', 'iff'];

/** The formula of a text that a task made. @throws RangeError where it is none */
export function formulaOf(text: string): Formula {
  const reading = readFormula(text);
  if (reading.ok) return reading.formula;
  throw new RangeError(`${text}: ${reading.reason}`);
}

/** A variable, or its opposite. */
function drawLiteral(rng: Rng, names: readonly string[]): Formula {
  const variable: Formula = { kind: 'variable', name: rng.pick(names) };
  return rng.int(0, 1) === 0 ? variable : { kind: 'not', of: variable };
}

/** A formula of at most `depth` levels of signs: none in a third of the cases. Two sides are never alike. */
export function drawFormula(rng: Rng, names: readonly string[], depth: number): Formula {
  if (depth === 0 || rng.int(0, 2) === 0) return drawLiteral(rng, names);
  const kind = rng.pick(CONNECTIVES);
  const left = drawFormula(rng, names, depth - 1);
  for (;;) {
    const right = drawFormula(rng, names, depth - 1);
    if (nameOf(right) === undefined || nameOf(right) !== nameOf(left)) return { kind, left, right };
  }
}

/** The variable of a literal. */
function nameOf(formula: Formula): string | undefined {
  const inner = formula.kind === 'not' ? formula.of : formula;
  return inner.kind === 'variable' ? inner.name : undefined;
}

/** A formula in English, where `literal` says what a variable, or its opposite, means. */
export function inEnglish(formula: Formula, literal: (name: string, isTrue: boolean) => string): string {
  switch (formula.kind) {
    case 'variable':
      return literal(formula.name, true);
    case 'not': {
      const name = nameOf(formula);
      return name === undefined ? `it is not so that ${inEnglish(formula.of, literal)}` : literal(name, false);
    }
  }
  const part = (one: Formula): string => {
    const text = inEnglish(one, literal);
    return nameOf(one) === undefined ? `(${text})` : text;
  };
  const [left, right] = [part(formula.left), part(formula.right)];
  switch (formula.kind) {
    case 'and':
      return `${left} and ${right}`;
    case 'or':
      return `${left} or ${right}`;
    case 'implies':
      return `if ${left} then ${right}`;
    case 'iff':
      return `${left} if and only if ${right}`;
  }
}
