/** What is asked of a fleet at once, and the tasks that it becomes. */
import type { SampleRequest } from '../../src/grpo/generator.ts';
import type { GenerationSettings } from '../../src/model/sampling/generation.ts';
import type { Holders } from './episodes/holders.ts';
import type { TaskPart } from './plan_tasks.ts';
import type { UpcomingPart } from './upcoming.ts';

/** What is asked at once. */
export interface FleetCall {
  readonly requests: readonly SampleRequest[];
  readonly settings: GenerationSettings;
  readonly holders: Holders;
  readonly upcoming?: readonly SampleRequest[];
}

/** Tasks of a call. */
export interface GivenOut {
  /** Groups that had not been given out before, and the tasks that are made of them. */
  readonly fresh: readonly SampleRequest[];
  readonly parts: readonly TaskPart[];
  readonly numbers: readonly number[];
  /** [groups] the parts of those that had been; undefined for the others. */
  readonly known: readonly (readonly UpcomingPart[] | undefined)[];
}

/** All tasks whose answers a call waits for. */
export function neededOf({ numbers, known }: GivenOut): number[] {
  return [...new Set([...numbers, ...known.flatMap((parts) => parts?.map(({ task }) => task) ?? [])])];
}
