/**
 * Which of several runs are one curve. Finished runs of one config are, whatever their seeds; a seed counts once, with
 * its longest run, for the same bits are no second sample. A run that has not finished is by itself.
 */
import type { ServedRun } from '../../data.ts';
import type { Curves } from '../track.ts';

/** A run as far as its log was read. */
export interface ComparedRun {
  readonly run: ServedRun;
  readonly curves: Curves;
  readonly isFinished: boolean;
}

export interface RunGroup {
  /** What the names of its runs have in common. */
  readonly name: string;
  /** The same without what all groups have in common. */
  readonly label: string;
  /** Those that count, a seed each. */
  readonly runs: readonly ComparedRun[];
  /** Shorter runs of a config and seed that is counted. */
  readonly leftOut: readonly ComparedRun[];
  readonly isFinished: boolean;
}

/** In the order of their names, so that a colour stays a group's whatever was ticked first. */
export function groupsOf(runs: readonly ComparedRun[]): RunGroup[] {
  const counted = [...bySeed(runs).values()].map((same) => [...same].sort(byLength));
  const groups = new Map<string, { runs: ComparedRun[]; leftOut: ComparedRun[] }>();
  for (const [longest, ...shorter] of counted) {
    if (longest === undefined) continue;
    const { group, name } = longest.run;
    const key = JSON.stringify(longest.isFinished ? [group] : [group, name]);
    const found = groups.get(key) ?? { runs: [], leftOut: [] };
    found.runs.push(longest);
    found.leftOut.push(...shorter);
    groups.set(key, found);
  }
  const named = [...groups.values()].map((group) => ({
    ...group,
    name: commonName(group.runs.map(({ run }) => run.title)),
    isFinished: group.runs.every(({ isFinished }) => isFinished),
  }));
  const unique = named.map((group) =>
    named.some((other) => other !== group && other.name === group.name)
      ? { ...group, name: group.runs[0]?.run.name ?? group.name }
      : group,
  );
  const sorted = unique.sort((a, b) => (a.name < b.name ? -1 : 1));
  const shared = sharedBeginning(sorted.map(({ name }) => name));
  return sorted.map((group) => ({ ...group, label: group.name.slice(shared) }));
}

/** The greatest step at which every one of these runs was evaluated, if there is any; those never evaluated apart. */
export function commonStep(runs: readonly ComparedRun[], most = Number.POSITIVE_INFINITY): number | undefined {
  const [first, ...others] = runs.map(({ curves }) => curves.evaluations.step).filter(({ length }) => length > 0);
  const steps = first?.filter((step) => step <= most && others.every((own) => own.includes(step))) ?? [];
  return steps.length === 0 ? undefined : Math.max(...steps);
}

/** Steps that were taken. */
export function lastStep({ metrics, evaluations }: Curves): number {
  return metrics.step.at(-1) ?? evaluations.step.at(-1) ?? 0;
}

function bySeed(runs: readonly ComparedRun[]): Map<string, ComparedRun[]> {
  const found = new Map<string, ComparedRun[]>();
  for (const each of runs) {
    const { group, seed, name } = each.run;
    const key = JSON.stringify(seed === null ? [name] : [group, seed]);
    found.set(key, [...(found.get(key) ?? []), each]);
  }
  return found;
}

/** The longest first, of equal ones the finished one. */
function byLength(a: ComparedRun, b: ComparedRun): number {
  return lastStep(b.curves) - lastStep(a.curves) || Number(b.isFinished) - Number(a.isFinished);
}

/** `sweep-rate=1e-3-seed0` and `sweep-rate=1e-3-seed1` are `sweep-rate=1e-3`. */
export function commonName(names: readonly string[]): string {
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  const common = first.slice(0, length).replace(/[\W_]*(seed)?[\W_]*$/i, '');
  return common === '' ? `${first} +${others.length}` : common;
}

/** Characters that all names begin with, up to a `/` or `=`; 0 where nothing would be left of one. */
function sharedBeginning(names: readonly string[]): number {
  const [first = '', ...others] = names;
  if (others.length === 0) return 0;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return Math.max(first.lastIndexOf('/', length - 1), first.lastIndexOf('=', length - 1)) + 1;
}
