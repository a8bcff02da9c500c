/** Methods that tell the turns of an episode apart: tasks of one turn refuse them, so they are tested by themselves. */
import type { Method } from '../../src/methods/method.ts';
import { severalTurns } from '../../src/methods/uses/several_turns.ts';

/** Whether a method is for tasks that are played in turns alone, whatever its options are. */
export function needsTurns({ uses }: Pick<Method<unknown>, 'uses'>): boolean {
  try {
    return uses?.({}, {} as never).some(({ id }) => id === severalTurns.id) ?? false;
  } catch {
    return false; // it reads its options before it says what it uses
  }
}
