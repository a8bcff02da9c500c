/** configs/systems/<name>.yaml: a whole config that runs what is here of a system, on a small task from random weights. */
import type { System } from './system.ts';
import { PAPERS } from './table.ts';

const BASE = [
  'task: {name: sort_digits, digits: 3}',
  'max_steps: 300',
  'num_generations: 8',
  'generation_batch_size: 128',
  'learning_rate: 1.0e-3',
  'reward_funcs: [positions]',
];

/** Stages, for tasks that random weights hardly ever solve. */
const WARM = [
  'stages:',
  '  - {stage: sft, max_steps: 300, per_device_train_batch_size: 64, learning_rate: 3.0e-3}',
  '  - {stage: grpo, max_steps: 200}',
];

/**
 * The name of its file, without the ending; undefined for a system that no small task runs. Systems of the same keys share
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

/** All systems whose config is the same; none if it has none. */
function alike({ keys, needs }: System): readonly System[] {
  if (keys === undefined || needs !== undefined) return [];
  const asked = keys.join('\n');
  return PAPERS.filter((other) => other.needs === undefined && other.keys?.join('\n') === asked);
}

/** The whole config of a system with keys. Lines of the base that its keys have too are left out. */
export function systemConfig(system: System): string {
  const { keys = [], warm = false } = system;
  const own = new Set(keys.map(keyOf));
  if (own.has('tasks')) own.add('task');
  if (warm) own.add('max_steps');
  const base = BASE.filter((line) => !own.has(keyOf(line)));
  return `${[...comment(system), ...base, ...keys, ...(warm ? WARM : [])].join('\n')}\n`;
}

/** By name, all of them. */
export function systemConfigs(): Map<string, string> {
  const configs = new Map<string, string>();
  for (const system of PAPERS) {
    const name = configName(system);
    if (name !== undefined && !configs.has(name)) configs.set(name, systemConfig(system));
  }
  return configs;
}

/** What is said of a system that only has a nearest relative here. */
export function nearestText(nearest: string): string {
  return `Nothing of it is built; its lines run what is nearest: ${nearest}.`;
}

function keyOf(line: string): string {
  return line.slice(0, line.indexOf(':'));
}

function comment(system: System): string[] {
  const { name, arxiv, transfers, differs, nearest } = system;
  const number = arxiv === undefined ? '' : `, arXiv:${arxiv}`;
  const note = differs ?? transfers ?? (nearest === undefined ? undefined : nearestText(nearest));
  const isRun = (other: System): boolean => other !== system && other.nearest === undefined;
  const others = alike(system).flatMap((other) => (isRun(other) ? [other.name] : []));
  return [
    `# ${name}${number}.`,
    ...(note === undefined ? [] : [`# Here: ${note}`]),
    ...(others.length === 0 ? [] : [`# The same runs ${others.join(', ')}.`]),
  ];
}
