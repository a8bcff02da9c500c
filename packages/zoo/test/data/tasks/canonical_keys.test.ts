/** One problem in two presentations has one key; problems that are each other's image are on one side of the split. */
import { expect, it } from 'vitest';
import { splitOfProblem } from '../../../../../src/data/split.ts';
import { registeredTasks } from '../../../../../test/support/everything.ts';
import { type AnyTaskDefinition, bindTask } from '../../../data/index.ts';

type Identity = Readonly<Record<string, unknown>>;

/** The same problem in other words, or in another order. */
const PRESENTATIONS: Readonly<Record<string, (identity: never) => Identity>> = {
  course_schedule: ({ pairs }: { pairs: string[] }) => ({ pairs: [...pairs].reverse() }),
  path_star: ({ edges, way }: { edges: string[]; way: string }) => ({
    edges: edges.map((edge) => `${edge[1]}${edge[0]}`).reverse(),
    way,
  }),
  graph_color: ({ edges, ...rest }: { edges: [number, number][] }) => ({
    ...rest,
    edges: edges.map(([a, b]) => [b, a]).reverse(),
  }),
  knights_knaves: ({ statements, roles }: { statements: string[]; roles: string }) => ({
    statements: statements.map((text) => `!!(${text})`),
    roles,
  }),
  propositional_logic: ({ premises }: { premises: string[] }) => ({
    premises: premises.map((text) => `(${text})&(${text})`).reverse(),
  }),
  syllogism: ({ premises, conclusion }: { premises: string[]; conclusion: string }) => ({
    premises: premises.map((text) => text.replace(/^([EI])(.)(.)$/, '$1$3$2')).reverse(),
    conclusion,
  }),
};

const rowsOf = (text: string): string[] => text.split('/');
const turned = (rows: readonly string[]): string[] =>
  [...(rows[0] as string)].map((_, x) => rows.map((row) => row[x]).join('')).reverse();
const swapped = (text: string, pairs: string): string =>
  [...text].map((one) => (pairs.includes(one) ? (pairs[pairs.indexOf(one) ^ 1] as string) : one)).join('');

/** Another problem that whoever can solve the one can solve. */
const IMAGES: Readonly<Record<string, (identity: never) => Identity>> = {
  mini_sudoku: ({ rows }: { rows: string[] }) => ({ rows: rows.map((row) => swapped(row, '1234')) }),
  binairo: ({ rows, solution }: { rows: string[]; solution: string[] }) => ({
    rows: rows.map((row) => swapped(row, '01')),
    solution: solution.map((row) => swapped(row, '01')),
  }),
  n_queens: ({ rows, solution }: { rows: string[]; solution: string[] }) => ({
    rows: turned(rows),
    solution: turned(solution),
  }),
  maze: ({ rows, steps }: { rows: string[]; steps: number }) => ({
    rows: turned(rowsOf(swapped(rows.join('/'), 'SG'))),
    steps,
  }),
  kakurasu: ({ rows, columns, solution }: { rows: number[]; columns: number[]; solution: string[] }) => ({
    rows: columns,
    columns: rows,
    solution: [...(solution[0] as string)].map((_, x) => solution.map((row) => row[x]).join('')),
  }),
  propositional_logic: ({ premises }: { premises: string[] }) => ({
    premises: premises.map((text) => swapped(text, 'PQRSTUWX')),
  }),
};

async function definitionOf(name: string): Promise<AnyTaskDefinition> {
  const definition = await registeredTasks[name]?.load();
  if (definition === undefined) throw new RangeError(`no task ${name}`);
  return definition;
}

/** Problems of a task, each with what is made of it. */
async function pairsOf(name: string, change: (identity: never) => Identity) {
  const definition = await definitionOf(name);
  const task = bindTask(definition);
  return Array.from({ length: 60 }, (_, index) => {
    const { identity } = task.trainItem(2, index);
    return { definition, identity, other: change(identity as never) as typeof identity };
  });
}

it.each(Object.keys(PRESENTATIONS))('%s: other words and another order are no other problem', async (name) => {
  for (const { definition, identity, other } of await pairsOf(name, PRESENTATIONS[name] as never)) {
    expect(definition.key(other)).toBe(definition.key(identity));
    expect(definition.verify(other, definition.oracle(identity, {}), {}, { finishReason: 'eos' }).score).toBe(1);
  }
});

it.each(Object.keys(IMAGES))('%s: the image of a trained problem is not held out', async (name) => {
  const changed = await pairsOf(name, IMAGES[name] as never);
  for (const { definition, other } of changed) expect(splitOfProblem(definition, other)).toBe('train');
  const different = changed.filter(
    ({ definition, identity, other }) => definition.key(identity) !== definition.key(other),
  );
  expect(different.length).toBeGreaterThan(30);
});
