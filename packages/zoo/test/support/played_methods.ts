/** Methods that tell the turns of an episode apart: tasks of one turn refuse them, so they are tested by themselves. */
import type { Method } from '../../../../src/methods/method.ts';
import { optionsOfMethod, START } from '../../../../src/methods/settings.ts';
import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import type { Use } from '../../../../src/methods/uses/use.ts';
import { searches } from '../../methods/uses/searches.ts';

type Played = Pick<Method<unknown>, 'id' | 'options' | 'uses' | 'complete'>;

/** Whether a method is for tasks that are played in turns alone. */
export function needsTurns(method: Played): boolean {
  return usesOf(method).includes(severalTurns.id);
}

/** Whether a method reads the tries of answers, which have none where a task does not search. */
export function needsSearch(method: Played): boolean {
  return usesOf(method).includes(searches.id);
}

/** A task that gives a method what it asks of an environment, as the YAML has it. */
export function playedTask(method: Played): string {
  const uses = usesOf(method);
  const asks = (fact: string): boolean => uses.includes(`states-${fact}`);
  if (asks('milestones') || asks('compared')) return '{name: form_state, fields: 3, values: 3, changes: 2}';
  if (asks('distance') || asks('guard')) return '{name: frozen_lake, size: 3}';
  if (asks('calls')) return '{name: calculator, numbers: 2, digits: 1}';
  return '{name: guess_number, max: 9, numbers: 5, turns: 3}';
}

/** Ids of what a method uses, and of what that implies. */
function usesOf(method: Played): string[] {
  const withImplied = (use: Use): string[] => [use.id, ...(use.implies ?? []).flatMap(withImplied)];
  try {
    const options = optionsOfMethod(method, 'a point', { name: method.id }).at(START);
    return method.uses?.(options, {} as never).flatMap(withImplied) ?? [];
  } catch {
    return []; // it has no defaults, or reads its stage before it says what it uses
  }
}
