/** Tasks of a run and their levels, of the names that the ledger gives them. */

/** `gcd#2/1` is level 1 of the task gcd; a task without levels has one, 0. */
export function placeOf(category: string): readonly [family: string, level: number] {
  const [label, level = '0'] = category.split('/');
  return [label.split('#')[0], Number(level)];
}
