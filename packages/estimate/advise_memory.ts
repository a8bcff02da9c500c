/** What to lower where a policy does not fit, loaded where one does not. */
import type { AdviseMemory } from '../../src/planning/require_memory.ts';

export const adviseMemory: AdviseMemory = async (...given) =>
  (await import('./memory_advice.ts')).memoryAdvice(...given);
