/** What is computed of a problem, computed once while the problem is there: it is asked for its oracle and by each verdict. */
export function remembered<I extends object, T>(compute: (problem: I) => T): (problem: I) => T {
  const known = new WeakMap<I, { readonly value: T }>();
  return (problem) => {
    const found = known.get(problem) ?? { value: compute(problem) };
    known.set(problem, found);
    return found.value;
  };
}
