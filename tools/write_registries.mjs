// Lists what a config can name, from the folders where each thing is declared: a file is a method, a task or a reward
// because of where it lies, and its name is its id. Each point of a step has a list; names.ts has the names alone, and
// loads a list when a config has one of its names.
//
//   methods   <folder>/<point>/token_mean.ts   exports a method, whose id is in it
//   tasks     <folder>/chain_sum/card.ts       exports chainSumCard; chain_sum.ts beside it exports chainSum
//   rewards   <folder>/rubric_pairwise.ts      exports a reward, which configs call rubric-pairwise
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const zoo = fileURLToPath(new URL('../packages/zoo', import.meta.url));
const out = join(zoo, 'made');

/** The folder of each point. */
const POINTS = {
  promptSource: 'prompt_sources',
  rolloutStrategies: 'rollout_strategies',
  tokenControls: 'token_controls',
  groupSteps: 'group_steps',
  advantageEstimator: 'advantage_estimators',
  creditSteps: 'credit_steps',
  ratio: 'ratios',
  objective: 'objectives',
  tokenWeights: 'token_weights',
  lossTerms: 'loss_terms',
  aggregation: 'aggregations',
  controllers: 'controllers',
  evaluationFigures: 'evaluation_figures',
  demonstrations: 'demonstrations',
};

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const specifier = (path) => {
  const to = relative(out, path).replaceAll('\\', '/');
  return to.startsWith('.') ? to : `./${to}`;
};
const TASKS = join(zoo, 'data/tasks');

/** Files of a folder that export one by a call of `maker`; a method's id is in its file, a reward has the file's name. */
function declared(folder, maker) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      const text = readFileSync(path, 'utf8');
      const exported = new RegExp(`^export const (\\w+)[^=\\n]* = ${maker}[(<]`, 'm').exec(text);
      if (exported === null) return [];
      const id = /^(?: {2}id: |const ID = )'([^']+)'/m.exec(text)?.[1] ?? name.slice(0, -3).replaceAll('_', '-');
      return [{ id, name: exported[1], path }];
    });
}

const methods = Object.entries(POINTS).map(([point, folder]) => ({
  point,
  folder,
  found: declared(join(zoo, 'methods', folder), 'method'),
}));
const tasks = readdirSync(TASKS)
  .filter((name) => existsSync(join(TASKS, name, 'card.ts')))
  .sort()
  .map((name) => ({
    name,
    card: `${camel(name)}Card`,
    cardPath: join(TASKS, name, 'card.ts'),
    exported: camel(name),
    path: join(TASKS, name, `${name}.ts`),
  }));
const rewards = declared(join(zoo, 'rewards/functions'), 'defineReward');

const HEAD = '// Made by tools/write_registries.mjs. Do not edit.\n';
const importsOf = (found) => found.map(([name, path]) => `import { ${name} } from '${specifier(path)}';`).join('\n');
const listOf = (names) => `[\n${names.map((name) => `  ${name},`).join('\n')}\n]`;

/** The methods of a point, as a list. */
function pointFile({ point, found }) {
  const type =
    point === 'demonstrations'
      ? "import type { DemonstrationMethod } from '../../../src/methods/method.ts';\n"
      : "import type { PointMethods } from '../../../src/methods/method_list.ts';\n";
  const of = point === 'demonstrations' ? 'readonly DemonstrationMethod[]' : `PointMethods['${point}']`;
  const names = found.map(({ name }) => name);
  return `${HEAD}${type}${importsOf(found.map(({ name, path }) => [name, path]))}\n\nexport const METHODS: ${of} = ${listOf(names)};\n`;
}

function rewardFile() {
  const entries = rewards.map(({ id, name }) => `  '${id}': ${name},`).join('\n');
  return `${HEAD}import type { RewardDefinition } from '../../../src/rewards/definition.ts';\n${importsOf(rewards.map(({ name, path }) => [name, path]))}\n\nexport const REWARDS: Readonly<Record<string, RewardDefinition>> = {\n${entries}\n};\n`;
}

/** The cards of all tasks; the rest of each is loaded by itself. */
function taskFile() {
  const entries = tasks
    .map(
      ({ name, card, exported, path }) =>
        `  ${name}: registered(${card}, async () => (await import('${specifier(path)}')).${exported}),`,
    )
    .join('\n');
  return `${HEAD}import type { RegisteredTask } from '../../../src/data/registered_task.ts';\nimport { registered } from '../loaded_task.ts';\n${importsOf(tasks.map(({ card, cardPath }) => [card, cardPath]))}\n\nexport const TASKS: Readonly<Record<string, RegisteredTask>> = {\n${entries}\n};\n`;
}

/** What there is, by name alone, and what loads it. */
function nameFile() {
  const words = (names) => `'${names.join(' ')}'.split(' ')`;
  const points = methods.map(({ point, folder, found }) =>
    found.length === 0
      ? `  ${point}: { names: [], load: async () => [] },`
      : `  ${point}: { names: ${words(found.map(({ id }) => id))}, load: async () => (await import('./${folder}.ts')).METHODS },`,
  );
  return `${HEAD}import type { RegisteredTask } from '../../../src/data/registered_task.ts';
import type { DemonstrationMethod, Method } from '../../../src/methods/method.ts';
import type { MethodPoint } from '../../../src/methods/stage.ts';
import type { RewardDefinition } from '../../../src/rewards/definition.ts';

/** Names, and what loads all that they mean. */
export interface Named<T> {
  readonly names: readonly string[];
  load(): Promise<T>;
}

export const METHODS: Readonly<Record<MethodPoint, Named<readonly Method<unknown>[]>>> & {
  readonly demonstrations: Named<readonly DemonstrationMethod[]>;
} = {
${points.join('\n')}
};
export const TASKS: Named<Readonly<Record<string, RegisteredTask>>> = { names: ${words(tasks.map(({ name }) => name))}, load: async () => (await import('./tasks.ts')).TASKS };
export const REWARDS: Named<Readonly<Record<string, RewardDefinition>>> = { names: ${words(rewards.map(({ id }) => id))}, load: async () => (await import('./rewards.ts')).REWARDS };
`;
}

/** Written only where it changed, so that nothing is built or tested again for nothing. */
function write(name, text) {
  const path = join(out, name);
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}
mkdirSync(out, { recursive: true });
for (const point of methods) if (point.found.length > 0) write(`${point.folder}.ts`, pointFile(point));
write('rewards.ts', rewardFile());
write('tasks.ts', taskFile());
write('names.ts', nameFile());
