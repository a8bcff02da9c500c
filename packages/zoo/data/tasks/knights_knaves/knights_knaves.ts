/**
 * People who always say the truth (knights, 1) or always lie (knaves, 0) speak of each other: who is what? Each problem
 * has one solution.
 *
 *   split       by hash of the truth tables of all statements: the same ones in other words are the same problem
 *
 * Roles are drawn first, all alike often, and statements that fit them until no other roles do.
 */
import { type Formula, formulaText, TAUTOLOGY, truthTable } from '../../../parsing/propositional_logic.ts';
import { readAssignment } from '../../../parsing/words.ts';
import { drawFormula, formulaOf, inEnglish } from '../../formulas.ts';
import { correct, lineTask, malformed, missing, trimAscii, wrongValue } from '../../kit.ts';
import { type KnightsKnavesKnobs, knightsKnavesCard } from './card.ts';

/** What each person says, and the only roles that fit: a digit each. */
export type KnightsKnavesItem = { readonly statements: readonly string[]; readonly roles: string };

const LETTERS = ['A', 'B', 'C', 'D', 'E', 'F'];
const NAMES = ['Ann', 'Bob', 'Cy', 'Dan', 'Eve', 'Fay'];
const MOST_DRAWS = 200;

/** The worlds in which everyone speaks as their role has it, a bit each; bit i of a world is the role of person i. */
function worldsOf(statements: readonly Formula[], people: readonly string[]): bigint {
  return statements.reduce(
    (worlds, statement, i) => {
      const speaker: Formula = { kind: 'variable', name: people[i] as string };
      return worlds & truthTable({ kind: 'iff', left: speaker, right: statement }, people);
    },
    TAUTOLOGY & ((1n << BigInt(2 ** people.length)) - 1n),
  );
}

/** A statement that is true in a world exactly where its speaker is a knight there. */
function drawStatement(draw: () => Formula, speaker: number, world: number, people: readonly string[]): Formula {
  for (;;) {
    const statement = draw();
    if (formulaText(statement).replace('!', '') === people[speaker]) continue; // about oneself alone it says nothing
    if (Number((truthTable(statement, people) >> BigInt(world)) & 1n) === ((world >> speaker) & 1)) return statement;
  }
}

function tablesOf({ statements }: KnightsKnavesItem): string {
  const people = LETTERS.slice(0, statements.length);
  return statements.map((text) => truthTable(formulaOf(text), people).toString(16)).join(',');
}

/** The roles that an answer gives, in digits or in sentences; undefined where it gives none. */
function rolesIn(answer: string, people: number): string | undefined {
  const text = trimAscii(answer);
  if (/^[01]{2,6}$/.test(text)) return text.length === people ? text : undefined;
  const names = NAMES.slice(0, people);
  const reading = readAssignment(text, names, ['knight', 'knave']);
  return reading.ok ? names.map((name) => (reading.roles[name] === 'knight' ? '1' : '0')).join('') : undefined;
}

export const knightsKnaves = lineTask<KnightsKnavesItem, KnightsKnavesKnobs>(knightsKnavesCard, {
  characters: 'ABCDEF:!&v-<>() 01',
  generate(rng, knobs) {
    const people = LETTERS.slice(0, knobs.people);
    const world = rng.int(0, 2 ** people.length - 1);
    for (let draws = 0; draws < MOST_DRAWS; draws++) {
      const draw = (): Formula => drawFormula(rng, people, knobs.depth);
      const statements = people.map((_, speaker) => drawStatement(draw, speaker, world, people));
      if (worldsOf(statements, people) !== 1n << BigInt(world)) continue;
      const roles = people.map((_, i) => String((world >> i) & 1)).join('');
      return { statements: statements.map(formulaText), roles };
    }
    return null;
  },
  key: (item) => `knights|${tablesOf(item)}`,
  prompt: ({ statements }) => `${statements.map((text, i) => `${LETTERS[i]}:${text}`).join(' ')}>`,
  question({ statements }) {
    const literal = (letter: string, isTrue: boolean): string =>
      `${NAMES[LETTERS.indexOf(letter)]} is a ${isTrue ? 'knight' : 'knave'}`;
    const said = statements.map((text, i) => `${NAMES[i]} says: ${inEnglish(formulaOf(text), literal)}.`);
    return `A knight always says the truth, and a knave always lies. ${said.join(' ')} Who is a knight? Answer with a digit each for ${NAMES.slice(0, statements.length).join(', ')}: 1 for a knight, 0 for a knave.`;
  },
  oracle: ({ roles }) => roles,
  verify({ roles }, answer) {
    const answered = rolesIn(answer, roles.length);
    if (answered === undefined)
      return trimAscii(answer) === '' ? missing('the answer is empty') : malformed('not a role for each person, once');
    return answered === roles
      ? correct('everyone is what they are', roles)
      : { ...wrongValue('someone is something else'), canonical: answered };
  },
  mutants({ roles, statements }) {
    const flipped = (from: number): string =>
      roles
        .split('')
        .map((role, i) => (i < from ? role : role === '1' ? '0' : '1'))
        .join('');
    return {
      'the last one wrong': flipped(roles.length - 1),
      'half of them wrong': flipped(Math.ceil(roles.length / 2)),
      'all of them wrong': flipped(0),
      'one left out': roles.slice(1),
      'one more': `${roles}1`,
      'given twice': roles + roles,
      'with a comma': roles.split('').join(','),
      'in letters': roles.replaceAll('1', 'T').replaceAll('0', 'F'),
      'the statements': statements.join(' '),
      'one alone, in a sentence': `Ann is a ${roles[0] === '1' ? 'knight' : 'knave'}`,
    };
  },
  /** All roles are alike often. */
  chance: ({ people }) => Math.min(0.5, 1.1 / 2 ** people),
  longest: ({ people, depth }) => {
    // A statement has a letter and a `!` in each leaf, and a sign and two brackets at most for each of the other nodes.
    const leaves = 2 ** depth;
    return {
      prompt: people * (3 + 2 * leaves + 5 * (leaves - 1)),
      answer: people,
      question: 260 + people * (20 + 16 * leaves + 20 * (leaves - 1)),
    };
  },
});
