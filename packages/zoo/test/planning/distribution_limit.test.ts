/** Whole distributions are planned where they fit, in smaller micro-batches if need be, and else refused with figures. */
import { describe, expect, it } from 'vitest';
import { planPolicy } from '../../../../src/model/memory/plan.ts';
import { modelShape } from '../../../../src/planning/capacity.ts';
import { parseConfig, planCapacity } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';

function planOf(vocabSize: number, ...lines: readonly string[]) {
  const text = ['task: {name: sort_digits, digits: 4}', 'max_steps: 1', 'num_generations: 16', ...lines].join('\n');
  const { config } = parseConfig(text, { file: 'run.yaml' });
  const tasks = createTasks(config);
  const codec = Object.create(tasks.codec, { vocabSize: { value: vocabSize } });
  const words: typeof tasks = Object.create(tasks, {
    codec: { value: codec },
    maxShownTokens: { value: tasks.maxShownTokens },
  });
  const capacity = planCapacity(config, words);
  return { capacity, plan: planPolicy(modelShape(config, words), capacity) };
}

const ASKS = 'loss_terms: [lp-reg]';
const BATCH = 'generation_batch_size: 256';
/** Tokens of a completion of four digits. */
const TOKENS = 4;

describe('whole distributions', () => {
  it('have memory where a method asks for them alone, and change nothing else of the plan', () => {
    const [asks, plain] = [planOf(20, BATCH, ASKS), planOf(20, BATCH)];
    expect(asks.capacity).toEqual({ ...plain.capacity, outputRows: { distributions: 256 * TOKENS } });
    const names = ({ plan }: typeof asks) => plan.memory.arenas.map(({ name }) => name);
    expect(names(asks).filter((name) => !names(plain).includes(name))).toEqual(['distributions', 'headGradient']);
    const floats = asks.plan.memory.arenas.find(({ name }) => name === 'distributions')?.length ?? 0;
    expect(floats).toBeGreaterThanOrEqual(256 * TOKENS * 20);
  });

  it('cut the batch into micro-batches of whole groups whose distributions fit', () => {
    const vocabSize = 40_000; // 16 completions take 9.8 MiB: six groups fit
    const { capacity } = planOf(vocabSize, BATCH, ASKS);
    expect(capacity).toMatchObject({ groups: 6, outputRows: { distributions: 6 * 16 * TOKENS }, keptRows: 0 });
    expect(capacity.outputRows?.distributions).toBeLessThanOrEqual(2 ** 26 / 4 / vocabSize);
  });

  it.each([
    [
      'one group is too large',
      300_000,
      [ASKS],
      /^lp-reg: whole distributions of 16 completions of 4 tokens over 300000 words take 73 MiB, and 64 MiB are the most — lower num_generations to 13, or max_completion_length to 3, or leave the method out\.$/,
    ],
    [
      'the micro-batch that was asked for is',
      40_000,
      ['loss_terms: [kl-exact, lp-reg]', BATCH, 'per_device_train_batch_size: 128'],
      /^kl-exact, lp-reg: .* of 128 completions .* 78 MiB.* — lower per_device_train_batch_size to 96, or max_completion_length to 3, or /,
    ],
  ])('are refused where %s', (_, vocabSize, lines, message) => {
    expect(() => planOf(vocabSize, ...lines)).toThrow(message);
  });
});
