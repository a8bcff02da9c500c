/** The same problem under another prompt: `Task.twin`. */
import type { Use } from '../../../../src/methods/uses/use.ts';

/** A task whose problems have a second prompt each. */
export const twinPrompts: Use = {
  id: 'twin-prompts',
  says: 'a task whose problems have a second prompt each',
  refuses({ shares }) {
    const without = shares.find(({ task }) => task.twin === undefined);
    if (without === undefined) return undefined; // else it would ask each once, and not say so
    const { name } = without.task;
    return {
      code: 'no-twins',
      rule: `asks each problem under two prompts, and ${name} has one`,
      remedy: 'use countdown, chain_sum, products, gcd or lcm, a task of yours with twin, or another method',
      facts: { task: name },
    };
  },
};
