/** How many rows go into a policy's forward passes. */
import type { Policy } from '../../src/model/policy.ts';

/** @returns the token rows that were written so far */
export function countInputRows({ engine, slots }: Policy): () => number {
  const write = engine.write.bind(engine);
  let rows = 0;
  engine.write = (slot, values, at) => {
    if (slot === slots.inputs.tokens) rows += (values as ArrayLike<number>).length;
    write(slot, values, at);
  };
  return () => rows;
}
