/** The union of the uses of a stage's methods, and what follows from it. */
import type { TaskSet } from '../../data/task_set.ts';
import type { ParameterSet } from '../parameter_sets.ts';
import type { MethodPoint } from '../stage.ts';
import type { Room, Use } from './use.ts';

/** A use, and the method that asks for it. */
export interface AskedUse {
  readonly by: string;
  readonly point: MethodPoint;
  readonly use: Use;
}

/** The uses of all methods of a stage. */
export interface StageUses {
  /** In the order of the methods, with implied uses before the use itself. */
  readonly asked: readonly AskedUse[];
  readonly sets: ReadonlySet<ParameterSet>;
  /** Each once. */
  readonly figures: readonly Use[];
  /** Ids of the methods for which whole distributions are computed. */
  readonly distributionsFor: readonly string[];
  has(use: Pick<Use, 'id'>): boolean;
}

/** The union. */
export function uniteUses(given: readonly AskedUse[]): StageUses {
  const all = given.flatMap((request) => withImplied(request.use).map((use) => ({ ...request, use })));
  const ids = new Set(all.map(({ use }) => use.id));
  return {
    asked: all,
    sets: new Set(all.flatMap(({ use }) => use.set ?? [])),
    figures: figuresAmong(all.map(({ use }) => use)),
    distributionsFor: [...new Set(all.flatMap(({ by, use }) => (use.takesDistributions ? [by] : [])))],
    has: ({ id }) => ids.has(id),
  };
}

function withImplied(use: Use): Use[] {
  return [...(use.implies ?? []).flatMap(withImplied), use];
}

function figuresAmong(uses: readonly Use[]): Use[] {
  const best = new Map<string, Use>();
  for (const use of uses) {
    const other = best.get(use.id);
    if (use.figure !== undefined && (use.figure.rank ?? 0) > (other?.figure?.rank ?? -1)) best.set(use.id, use);
  }
  return [...best.values()];
}

/** Descriptions of what a run has for them, each once. */
export function wordsOf({ asked }: StageUses): string[] {
  return [...new Set(asked.flatMap(({ use }) => use.says ?? []))];
}

/** The room that they take together; 0 if none needs any. */
export function roomOf({ asked }: StageUses, tasks: TaskSet): Required<Room> {
  const rooms = asked.map(({ use }) => use.room?.(tasks) ?? {});
  const largest = (member: keyof Room): number => Math.max(0, ...rooms.map((room) => room[member] ?? 0));
  const sum = (member: keyof Room): number => rooms.reduce((all, room) => all + (room[member] ?? 0), 0);
  return {
    prompt: largest('prompt'),
    behind: largest('behind'),
    prompts: sum('prompts'),
    groups: sum('groups'),
    text: largest('text'),
  };
}
