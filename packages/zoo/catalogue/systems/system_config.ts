/** configs/systems/<name>.yaml: a whole config that runs what is here of a system: its base, and the system's own lines. */
import { parse } from 'yaml';
import { BASES } from './papers.ts';
import type { Base, System } from './system.ts';
import { PAPERS } from './table.ts';

/**
 * The name of its file, without the ending; undefined for a system that no small task runs. Systems of the same lines share
 * the file of the first.
 */
export function configName(system: System): string | undefined {
  const sharing = alike(system);
  return sharing.length === 0 ? undefined : fileName(sharing[0].name);
}

function fileName(name: string): string {
  const [first = name] = name.split(/ \/| \((?=[A-Z])/);
  const plain = first.normalize('NFKD').replaceAll('τ', 'tau').replaceAll('λ', 'lambda');
  return plain
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Systems with a config, by its lines. */
let byLines: Map<string, System[]> | undefined;

/** All systems whose config is the same; none if it has none. */
export function alike(system: System): readonly System[] {
  if (byLines === undefined) {
    byLines = new Map();
    for (const one of PAPERS.filter(hasConfig)) {
      const lines = linesOf(one).join('\n');
      byLines.set(lines, [...(byLines.get(lines) ?? []), one]);
    }
  }
  return hasConfig(system) ? (byLines.get(linesOf(system).join('\n')) ?? []) : [];
}

function hasConfig({ keys, needs }: System): boolean {
  return keys !== undefined && needs === undefined;
}

/** @throws Error for a base that bases.yaml has not */
function baseOf({ name, base = 'partial' }: System): Base {
  if (!Object.hasOwn(BASES, base)) throw new Error(`${name}: base — bases.yaml has no ${base}; name one that it has`);
  return BASES[base];
}

function linesOf(system: System): readonly string[] {
  const { keys = [] } = system;
  const own = new Set(keys.map(keyOf));
  if (own.has('tasks')) own.add('task');
  return [...baseOf(system).lines.filter((line) => !own.has(keyOf(line))), ...keys];
}

/** The whole config of a system with keys. Lines of the base that its keys have too are left out. */
export function systemConfig(system: System): string {
  return `${[...comment(system), ...linesOf(system)].join('\n')}\n`;
}

/** Its keys that say what is trained on and what is measured, which move no weight from where the base would. */
const KEPT = ['task', 'tasks', 'evaluation_figures', 'num_generations_eval', 'eval_steps'];

/** What is paid where nothing is said. */
const VERDICTS = 'reward_funcs: [accuracy]';

/** The lines by which a system learns otherwise than its base would of the same task; none: it is a task, or a figure. */
export function proposedLines(system: System): readonly string[] {
  const { keys = [] } = system;
  const plain = plainStages(system);
  return keys.filter((line) => !KEPT.includes(keyOf(line)) && line !== VERDICTS && !(plain && isSame(line, plain)));
}

/**
 * The same task from the same base, without what the system proposes: its own lines where that is a task or a figure, and
 * where it has stages of its own, as many steps in one.
 */
export function plainConfig(system: System): string {
  const keys = (system.keys ?? []).filter((line) => KEPT.includes(keyOf(line)));
  const stages = plainStages(system);
  return `${linesOf({ ...system, keys: [...keys, ...(stages === undefined ? [] : [stages])] }).join('\n')}\n`;
}

/** A system's own stages made plain: the supervised ones without what they propose, then one of all other steps; undefined: it has none. */
function plainStages({ keys = [] }: System): string | undefined {
  const own = keys.find((line) => keyOf(line) === 'stages');
  if (own === undefined) return undefined;
  const { stages } = parse(own) as { readonly stages: readonly Readonly<Record<string, unknown>>[] }; // the build of papers.ts checked it
  const kept = stages.flatMap(({ demonstrations: _, form_share: __, ...stage }) =>
    stage.stage === 'sft' ? [stage] : [],
  );
  const later = stages.filter(({ stage }) => stage !== 'sft');
  const steps = later.reduce((sum, { max_steps }) => sum + Number(max_steps), 0);
  const rate = later[0]?.learning_rate;
  const rest = { stage: 'grpo', max_steps: steps, ...(rate !== undefined && { learning_rate: rate }) };
  return `stages: ${JSON.stringify([...kept, rest])}`;
}

function isSame(line: string, other: string): boolean {
  return keyOf(line) === keyOf(other) && JSON.stringify(parse(line)) === JSON.stringify(parse(other));
}

/** By name, all of them, with the first system of each. */
export function systemsWithConfigs(): ReadonlyMap<string, System> {
  const systems = new Map<string, System>();
  for (const system of PAPERS) {
    const name = configName(system);
    if (name !== undefined && !systems.has(name)) systems.set(name, system);
  }
  return systems;
}

/** What is said of a system that only has a nearest relative here. */
export function nearestText(nearest: string): string {
  return `Nothing of it is built; the nearest here is ${nearest}.`;
}

function keyOf(line: string): string {
  return line.slice(0, line.indexOf(':'));
}

function comment(system: System): string[] {
  const { name, arxiv, transfers, differs } = system;
  const number = arxiv === undefined ? '' : `, arXiv:${arxiv}`;
  const note = differs ?? transfers;
  const others = alike(system).flatMap((other) => (other === system ? [] : [other.name]));
  return [
    `# ${name}${number}.`,
    ...(note === undefined ? [] : [`# Here: ${note}`]),
    ...(others.length === 0 ? [] : [`# The same but for the name: ${others.join(', ')}.`]),
    `# ${baseOf(system).says}`,
  ];
}
