/**
 * Refutations by resolution: of two clauses, one with a letter and one without it, follows what is left of both. Clauses are
 * letters in alphabetical order, `aC` for `a or not c`; the empty one, `0`, says that they cannot be true together.
 */
import { correct, illegal, malformed, type Verdict, wrongValue } from '../../kit.ts';
import { needed } from './needed.ts';

export const EMPTY = '0';

export const negated = (literal: string): string =>
  literal === literal.toLowerCase() ? literal.toUpperCase() : literal.toLowerCase();

/** A clause in its one notation: each literal once, in alphabetical order; undefined where it is true of itself. */
export function clauseOf(literals: Iterable<string>): string | undefined {
  const own = [...new Set(literals)];
  if (own.some((literal) => own.includes(negated(literal)))) return undefined;
  own.sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return own.length === 0 ? EMPTY : own.join('');
}

const literalsOf = (clause: string): string[] => (clause === EMPTY ? [] : clause.split(''));

function resolvents(one: string, other: string): string[] {
  return literalsOf(one).flatMap((literal) => {
    const opposite = negated(literal);
    if (!literalsOf(other).includes(opposite)) return [];
    const left = [
      ...literalsOf(one).filter((own) => own !== literal),
      ...literalsOf(other).filter((own) => own !== opposite),
    ];
    return clauseOf(left) ?? [];
  });
}

/** Whether each step in its order is a new clause that two that are known resolve to. */
export function resolutionSteps(clauses: readonly string[], steps: readonly string[]): boolean[] {
  const known = [...clauses];
  return steps.map((step) => {
    const isRight =
      !known.includes(step) &&
      known.some((one, i) => known.slice(0, i).some((other) => resolvents(one, other).includes(step)));
    if (isRight) known.push(step);
    return isRight;
  });
}

/** A refutation without a step to spare, by unit clauses first; undefined where those alone find none. */
export function refutation(clauses: readonly string[]): string[] | undefined {
  const known = [...clauses];
  const parents = new Map<string, readonly [string, string]>();
  for (let i = 0; i < known.length && !parents.has(EMPTY); i++) {
    for (let j = 0; j < i; j++) {
      if (known[i].length > 1 && known[j].length > 1) continue;
      for (const clause of resolvents(known[i], known[j])) {
        if (known.includes(clause)) continue;
        known.push(clause);
        parents.set(clause, [known[i], known[j]]);
      }
    }
  }
  if (!parents.has(EMPTY)) return undefined;
  return needed(parents, EMPTY);
}

export function judgeRefutation(clauses: readonly string[], steps: readonly string[]): Verdict {
  if (steps.some((step) => step !== EMPTY && (!/^[A-Za-z]+$/.test(step) || clauseOf(step) !== step)))
    return malformed('a step is no clause, its letters in alphabetical order');
  if (resolutionSteps(clauses, steps).includes(false)) return illegal('a step does not follow at its place');
  const last = steps.indexOf(EMPTY);
  if (last < 0) return wrongValue('the empty clause is not reached');
  return last === steps.length - 1
    ? correct('a refutation', steps.join(' '))
    : illegal('it continues after the empty clause');
}
