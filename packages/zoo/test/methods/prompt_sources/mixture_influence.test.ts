/** Which tasks a gradient speaks for, how weights follow, and that looking at gradients trains nothing. */
import { describe, expect, it } from 'vitest';
import type { TaskItem } from '../../../../../src/data/task.ts';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import { Ledger } from '../../../../../src/methods/ledger.ts';
import type { DrawItems, PromptSource, SourceTools } from '../../../../../src/methods/points.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { wholeAndKilled } from '../../../../../test/support/killed_runs.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';

const TASKS = ['goal', 'near', 'away'] as const;
/** Gradients by task: one goes the way of the goal, one the other way. */
const GRADIENTS: Readonly<Record<string, readonly number[]>> = { goal: [2, 0], near: [3, 1], away: [-1, 0] };

function sourceOf(options: string): PromptSource {
  return createMethods(stageOf(`prompt_source: {name: mixture-influence, target: goal, ${options}}`)).promptSources[0]
    .part;
}

/** The three tasks in turn. */
function drawing(): DrawItems {
  let next = 0;
  return async (count) =>
    Array.from({ length: count }, () => {
      const i = next++;
      return {
        id: `${i}`,
        key: `${i}`,
        split: 'train',
        prompt: '',
        answer: '',
        weight: 1,
        task: TASKS[i % 3],
      } as unknown as TaskItem;
    });
}

/** Shares of the tasks among what is asked, and what is logged. */
async function asked(source: PromptSource, batches: number) {
  const logged: Record<string, number> = {};
  let looks = 0;
  const draw = drawing();
  const items: TaskItem[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const tools: SourceTools = {
      ...stepContext(stageOf()),
      ledger: new Ledger(),
      rng: rngFor(`batch|${batch}`),
      metric: (name, value) => {
        logged[name] = value;
      },
      twin: () => undefined,
      solutionText: () => undefined,
      solutionGradient: async (own) => {
        looks++;
        return Float32Array.from(GRADIENTS[own[0].task ?? '']);
      },
      judge: async () => [],
      attempt: async () => [],
    };
    items.push(...(await source.next(60, draw, tools)));
  }
  const share = (task: string): number => items.filter((item) => item.task === task).length / items.length;
  return { shares: TASKS.map(share), logged, looks };
}

describe('mixture-influence', () => {
  it('asks more of what pulls the way of the target, and less of what pulls away', async () => {
    const { shares, logged, looks } = await asked(sourceOf('influence_rate: 1, every: 5, floor: 0.1'), 10);
    expect(logged['cosine/goal']).toBeCloseTo(1, 6);
    expect(logged['cosine/near']).toBeCloseTo(3 / Math.sqrt(10), 6);
    expect(logged['cosine/away']).toBeCloseTo(-1, 6);
    expect(looks).toBe(2 * 4); // two looks, at the target and at each of three
    // After the second look w = e²/Z, e^(6/√10)/Z and e⁻²/Z; before it the square roots of these.
    expect(shares[0]).toBeGreaterThan(shares[1]);
    expect(shares[1]).toBeGreaterThan(0.35);
    expect(shares[2]).toBeLessThan(0.15);
  });

  it('leaves the mix alone at a rate of 0, without a look', async () => {
    const { shares, looks } = await asked(sourceOf('influence_rate: 0'), 3);
    expect([shares, looks]).toEqual([[1 / 3, 1 / 3, 1 / 3], 0]);
  });

  it('keeps its weights through JSON', async () => {
    const source = sourceOf('every: 100');
    await asked(source, 1);
    const other = sourceOf('every: 100');
    other.restore?.(JSON.parse(JSON.stringify(source.state?.())));
    expect(other.state?.()).toEqual(source.state?.());
  });

  it('trains nothing by looking, and gives the same weights after a kill', async () => {
    const tasks = (rate: number): string =>
      `prompt_source: {name: mixture-influence, target: reverse_text, every: 1, problems: 2, influence_rate: ${rate}}`;
    const { whole: off } = await wholeAndKilled(tasks(0));
    const { whole: plain } = await wholeAndKilled('');
    expect(off.sha256).toBe(plain.sha256);
    const { whole, killed } = await wholeAndKilled(tasks(1));
    expect(killed).toEqual(whole);
    expect(whole.sha256).not.toBe(plain.sha256); // other problems were drawn
  });
});
