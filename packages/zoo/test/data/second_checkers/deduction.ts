/** The tasks of deduction, decided from their prompts by looking at every world; formulas are reduced as texts. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare } from './notation.ts';

type World = Readonly<Record<string, boolean>>;

/** A formula in signs of one character each: `! & v > =`; undefined where something else is in it. */
function signs(text: string): string | undefined {
  if (!/^(?: |[A-Z]|<->|->|[!~¬&∧v|∨→↔()])+$/.test(text)) return undefined;
  return text
    .replaceAll(' ', '')
    .replaceAll('<->', '=')
    .replaceAll('->', '>')
    .replace(/[~¬]/g, '!')
    .replaceAll('∧', '&')
    .replace(/[|∨]/g, 'v')
    .replaceAll('→', '>')
    .replaceAll('↔', '=');
}

/** The text again and again, until a replacement changes nothing. */
function settled(text: string, change: (text: string) => string): string {
  const next = change(text);
  return next === text ? text : settled(next, change);
}

/** A formula of digits and signs without brackets: `1`, `0`, or `x` where it is none. */
function flatValue(text: string): string {
  const parts = text.split('=').map((part) => {
    let rest = settled(part, (one) => one.replace(/!([01])/, (_, digit) => (digit === '1' ? '0' : '1')));
    rest = settled(rest, (one) => one.replace(/([01])&([01])/, (_, a, b) => (a + b === '11' ? '1' : '0')));
    rest = settled(rest, (one) => one.replace(/([01])v([01])/, (_, a, b) => (a + b === '00' ? '0' : '1')));
    if (!/^[01](?:>[01])*$/.test(rest)) return 'x';
    return rest.split('>').reduceRight((then, when) => (when === '0' ? '1' : then));
  });
  return parts.includes('x') ? 'x' : parts.reduce((a, b) => (a === b ? '1' : '0'));
}

/** The value of a formula in a world; undefined where it is none. */
function valueIn(formula: string, world: World): boolean | undefined {
  const digits = formula.replace(/[A-Z]/g, (name) => (world[name] ? '1' : '0'));
  const flat = settled(digits, (one) => one.replace(/\(([^()]*)\)/, (_, inside) => flatValue(inside)));
  const value = flatValue(flat);
  return value === 'x' ? undefined : value === '1';
}

/** All worlds of some names. */
function worlds(names: readonly string[]): World[] {
  return names.reduce<World[]>(
    (all, name) => all.flatMap((world) => [true, false].map((is) => ({ ...world, [name]: is }))),
    [{}],
  );
}

/** What is computed of a prompt once. */
function remembered<T>(compute: (prompt: string) => T): (prompt: string) => T {
  const known = new Map<string, T>();
  return (prompt) => {
    const value = known.get(prompt) ?? compute(prompt);
    known.set(prompt, value);
    return value;
  };
}

const PEOPLE = ['Ann', 'Bob', 'Cy', 'Dan', 'Eve', 'Fay'];

const rolesOf = remembered((prompt): string => {
  const said = (asked(prompt, /^(.+)>$/)[0] as string).split(' ').map((text) => text.split(':') as [string, string]);
  const fitting = worlds(said.map(([name]) => name)).filter((world) =>
    said.every(([name, statement]) => valueIn(signs(statement) as string, world) === world[name]),
  );
  if (fitting.length !== 1) throw new RangeError(`${prompt} has ${fitting.length} solutions`);
  return said.map(([name]) => (fitting[0]?.[name] ? '1' : '0')).join('');
});

/** The regions of what is of some kinds and not of others: a statement concerns two kinds. */
const syllogismFollows = remembered((prompt): boolean => {
  const [given = '', claimed = ''] = asked(prompt, /^([a-z ,]+): ([a-z ]+)>$/);
  const statements = [...given.split(', '), claimed].map((text) =>
    asked(text, /^(all|no|some) ([a-z]) (not )?([a-z])$/),
  );
  const terms = [...new Set(statements.flatMap(([, one, , other]) => [one, other] as string[]))];
  const numRegions = 2 ** terms.length;
  /** Which regions are of a kind, as bits. */
  const area = (term: string): number => {
    let bits = 0;
    for (let region = 0; region < numRegions; region++) if (region & (1 << terms.indexOf(term))) bits |= 1 << region;
    return bits;
  };
  const areas = terms.map(area);
  const tests = statements.map(([form, one = '', not, other = '']) => {
    const [a, b] = [area(one), area(other)];
    if (form === 'all') return (model: number) => (model & a & ~b) === 0;
    if (form === 'no') return (model: number) => (model & a & b) === 0;
    return (model: number) => (model & a & (not === undefined ? b : ~b)) !== 0;
  });
  const conclusion = tests.pop() as (model: number) => boolean;
  // A model says of each region whether there is something in it.
  for (let model = 0; model < 2 ** numRegions; model++) {
    if (areas.every((bits) => (model & bits) !== 0) && tests.every((test) => test(model)) && !conclusion(model))
      return false;
  }
  return true;
});

export const DEDUCTION: Readonly<Record<string, SecondChecker>> = {
  knights_knaves({ prompt }, answer) {
    const roles = rolesOf(prompt);
    const text = bare(answer);
    if (/^[01]+$/.test(text)) return text === roles;
    if (text.length > 1024) return false;
    const clauses = text.replace(/\.$/, '').split(/, and |, | and /);
    const read = clauses.map((clause) => /^([A-Z][a-z]+) is (?:an? )?(knight|knave)$/.exec(clause));
    const said = [...roles].map((role, i) => `${PEOPLE[i]} ${role === '1' ? 'knight' : 'knave'}`);
    return (
      read
        .map((match) => (match === null ? '' : `${match[1]} ${match[2]}`))
        .sort()
        .join() === said.sort().join()
    );
  },

  propositional_logic({ prompt }, answer) {
    const premises = (asked(prompt, /^so (.+)>$/)[0] as string).split(', ').map((text) => signs(text) as string);
    const text = bare(answer);
    const formula = text.length > 256 ? undefined : signs(text);
    if (formula === undefined || formula.replace(/[^&v>=]/g, '').length > 1) return false;
    const names = [...new Set(premises.join('').replace(/[^A-Z]/g, ''))];
    if ([...formula.replace(/[^A-Z]/g, '')].some((name) => !names.includes(name))) return false;
    const all = worlds(names);
    const values = all.map((world) => valueIn(formula, world));
    if (values.some((value) => value === undefined) || values.every((value) => value)) return false;
    /** Whether it is true wherever all of these are. */
    const follows = (given: readonly string[]): boolean =>
      all.every((world, i) => values[i] || given.some((premise) => !valueIn(premise, world)));
    return follows(premises) && !premises.some((premise) => follows([premise]));
  },

  syllogism({ prompt }, answer) {
    return bare(answer).toLowerCase() === (syllogismFollows(prompt) ? 'yes' : 'no');
  },
};
