/**
 * Groups that are given out before they are asked for: a refill will likely draw them next. Their tasks follow those of the
 * call under way, so that workers have something to do while the learner checks, judges and draws. Who is wrong about what comes
 * next has wasted what workers would not have done otherwise: no bit depends on it.
 */
import type { RolloutRequest, SampleRequest } from '../../src/grpo/generator.ts';

/** A part of a group, in a task. */
export interface UpcomingPart {
  readonly task: number;
  /** Index of the task's request that it is. */
  readonly place: number;
  readonly request: SampleRequest;
  /** The group begins with it. */
  readonly isFirst: boolean;
}

export class Upcoming {
  /** Weights and settings of all of them. */
  #key = '';
  /** By the number of the first rollout. */
  readonly #parts = new Map<number, UpcomingPart>();

  /**
   * Weights and settings of what is asked now.
   * @returns the tasks that were given out for others: nobody will ask for them
   */
  turnTo(key: string): number[] {
    if (key === this.#key) return [];
    this.#key = key;
    return [...new Set([...this.#parts.values()].map(({ task }) => task))];
  }

  add(parts: readonly UpcomingPart[]): void {
    for (const part of parts) this.#parts.set(part.request.rollouts[0].rollout, part);
  }

  /** The parts of which a group is made; undefined where it was not given out whole. */
  partsOf({ prompt, rollouts }: SampleRequest): UpcomingPart[] | undefined {
    const found: UpcomingPart[] = [];
    for (let first = 0; first < rollouts.length; ) {
      const part = this.#parts.get(rollouts[first].rollout);
      if (part === undefined || !isOf(part.request, prompt, rollouts.slice(first))) return undefined;
      found.push(part);
      first += part.request.rollouts.length;
    }
    return found;
  }

  /** These tasks are over. @returns how many groups began in them */
  forget(tasks: readonly number[]): number {
    let groups = 0;
    for (const [rollout, { task, isFirst }] of this.#parts) {
      if (!tasks.includes(task)) continue;
      this.#parts.delete(rollout);
      if (isFirst) groups++;
    }
    return groups;
  }
}

/** Whether a part is what a group begins with from some rollout on. */
function isOf(part: SampleRequest, prompt: Int32Array, rollouts: readonly RolloutRequest[]): boolean {
  const isSamePrompt = part.prompt.length === prompt.length && part.prompt.every((token, i) => token === prompt[i]);
  return (
    isSamePrompt &&
    part.rollouts.length <= rollouts.length &&
    part.rollouts.every(({ rollout }, i) => {
      const asked = rollouts[i];
      return asked.rollout === rollout && asked.turn === undefined && asked.tokens === undefined;
    })
  );
}
