/** Proofs from rules such as `ab-c`, of a and b follows c: each step is a rule whose premises are known. */
import { correct, illegal, malformed, type Verdict, wrongValue } from '../../kit.ts';
import { needed } from './needed.ts';

export interface HornProblem {
  readonly facts: readonly string[];
  readonly rules: readonly string[];
  readonly goal: string;
}

const premisesOf = (rule: string): string[] => rule.slice(0, -2).split('');
const conclusionOf = (rule: string): string => rule[rule.length - 1];

/** Whether a rule of the problem says something new of what is known. */
const applies = (rule: string, known: ReadonlySet<string>): boolean =>
  !known.has(conclusionOf(rule)) && premisesOf(rule).every((premise) => known.has(premise));

/** A proof without a step to spare, its rules in an order in which they apply; undefined where there is none. */
export function hornProof({ facts, rules, goal }: HornProblem): string[] | undefined {
  const known = new Set(facts);
  const because = new Map<string, string>();
  for (;;) {
    const rule = rules.find((one) => applies(one, known));
    if (rule === undefined || known.has(goal)) break;
    known.add(conclusionOf(rule));
    because.set(conclusionOf(rule), rule);
  }
  if (!known.has(goal)) return undefined;
  const premises = new Map([...because].map(([conclusion, rule]) => [conclusion, premisesOf(rule)]));
  return needed(premises, goal).map((conclusion) => because.get(conclusion) as string);
}

/** Whether each step in its order is a rule of the problem that applies there; one that does not changes nothing for those after it. */
export function hornSteps({ facts, rules }: HornProblem, steps: readonly string[]): boolean[] {
  const known = new Set(facts);
  return steps.map((step) => {
    const isRight = rules.includes(step) && applies(step, known);
    if (isRight) known.add(conclusionOf(step));
    return isRight;
  });
}

export function judgeHorn(problem: HornProblem, steps: readonly string[]): Verdict {
  if (steps.some((step) => !problem.rules.includes(step))) return malformed('a step is none of the rules');
  if (hornSteps(problem, steps).includes(false)) return illegal('a step does not apply at its place');
  const last = steps.findIndex((step) => conclusionOf(step) === problem.goal);
  if (last < 0) return wrongValue('the goal is not reached');
  return last === steps.length - 1 ? correct('a proof', steps.join(' ')) : illegal('it continues after the goal');
}
