/** Every order of a few things: n! of them. */
export function ordersOf<T>(things: readonly T[]): T[][] {
  if (things.length < 2) return [[...things]];
  return things.flatMap((first, i) => ordersOf(things.filter((_, j) => j !== i)).map((rest) => [first, ...rest]));
}
