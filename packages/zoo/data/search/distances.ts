/** How far the states of a small game are from its end: a breadth-first search from the end back to all of them. */

/**
 * Fewest steps from each state to one that is a goal, [count]; -1 where none is reached.
 *
 * @param count       states, numbered from 0
 * @param successors  states that one step leads to
 */
export function stepsToGoal(
  count: number,
  successors: (state: number) => readonly number[],
  isGoal: (state: number) => boolean,
): Int32Array {
  const predecessors: number[][] = Array.from({ length: count }, () => []);
  const steps = new Int32Array(count).fill(-1);
  const queue: number[] = [];
  for (let state = 0; state < count; state++) {
    for (const next of successors(state)) predecessors[next].push(state);
    if (!isGoal(state)) continue;
    steps[state] = 0;
    queue.push(state);
  }
  for (let first = 0; first < queue.length; first++) {
    const state = queue[first];
    for (const before of predecessors[state]) {
      if (steps[before] >= 0) continue;
      steps[before] = steps[state] + 1;
      queue.push(before);
    }
  }
  return steps;
}
