/**
 * A problem without a twin is asked once. The second of a pair never waits for the next batch: where there is room for
 * one alone, a problem is asked without its twin.
 */
import type { TaskItem } from '../../../../src/data/task.ts';
import { method, type PromptSource } from '../kit.ts';
import { twinPrompts } from '../uses/twin_prompts.ts';

export const twin = method({
  id: 'twin',
  about: {
    does: 'Asks each problem under two prompts, one after the other.',
    names: ["Co-Reward's rephrased questions"],
    formula: "q1, q1', q2, q2', …",
    source: '2508.00410',
    certainty: 'after the paper',
  },
  uses: () => [twinPrompts],
  create: (): PromptSource => ({
    async next(count, draw, { twin: twinOf, metric }) {
      const asked: TaskItem[] = [];
      let twins = 0;
      while (asked.length < count) {
        for (const item of await draw(Math.ceil((count - asked.length) / 2))) {
          asked.push(item);
          const other = asked.length < count ? twinOf(item) : undefined;
          if (other === undefined) continue;
          asked.push(other);
          twins++;
        }
      }
      metric('share', (2 * twins) / count);
      return asked;
    },
  }),
});
