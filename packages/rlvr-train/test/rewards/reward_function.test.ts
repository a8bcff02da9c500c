import { describe, expect, it } from 'vitest';
import { getReward, parseConfig } from '../../../../test/support/everything.ts';
import { createTask } from '../../../../test/support/tasks.ts';
import { REWARD_NAMES } from '../../../zoo/elsewhere/rewards.ts';
import {
  accuracyReward,
  combineRewards,
  partReward,
  type RewardBatch,
  type RewardFunction,
  scoreRewards,
  softOverlongReward,
} from '../../rewards.ts';

/** Three completions of one sorting problem: right, half right, not applicable. */
function batchOfThree(): RewardBatch {
  const item = createTask({ name: 'sort_digits' }).trainItem(0, 0);
  return {
    prompts: [item.prompt, item.prompt, item.prompt],
    completions: ['a', 'b', 'c'],
    completionTokens: [80, 90, 101].map((length) => new Int32Array(length)),
    items: [item, item, item],
    groupOf: Int32Array.of(0, 0, 0),
    verdicts: [
      { score: 1, status: 'correct', reason: 'right', parts: { positions: 1 } },
      { score: 0, status: 'incorrect', reason: 'wrong', parts: { positions: 0.5 } },
      { score: null, status: 'invalid', reason: 'not applicable' },
    ],
    finishReasons: ['stop', 'stop', 'stop'],
    trainerState: { step: 7, progress: 0.1 },
  };
}

const reward = (name: string, score: RewardFunction['score']): RewardFunction => ({ name, score });

describe('built-in rewards', () => {
  it('accuracy is the score of the verdict', () => {
    expect(accuracyReward.score(batchOfThree())).toEqual([1, 0, null]);
  });

  it('a part is null where the verdict has none', () => {
    expect(getReward('positions').score(batchOfThree())).toEqual([1, 0.5, null]);
    expect(partReward('lcs').score(batchOfThree())).toEqual([null, null, null]);
  });

  it('soft overlong falls from 0 to -1 within the cache', () => {
    expect(softOverlongReward(100, 20).score(batchOfThree())).toEqual([0, -0.5, -1]);
    const atLimit = { ...batchOfThree(), completionTokens: [new Int32Array(100)] };
    expect(softOverlongReward(100, 20).score(atLimit)).toEqual([-1]);
  });

  it.each([
    ['accuracy_reward', 'accuracy'],
    ['think_format_reward', 'format'],
    ['get_soft_overlong_punishment', '{name: soft_overlong, max_tokens: 12, cache: 4}'],
    ['len_reward', '{name: cosine, max_len: 1000}'],
  ])("answers TRL's %s with what it is here", (name, entry) => {
    expect(() => getReward(name)).toThrow(
      `reward_funcs: ${JSON.stringify(name)} — no such reward function; here it is ${entry}.`,
    );
  });

  it('names entries for rewards from elsewhere that a config takes as they are', () => {
    for (const entry of Object.keys(REWARD_NAMES)) {
      const { config } = parseConfig(`task: gcd\nmax_steps: 1\nreward_funcs: [${entry}]`, { file: 'a' });
      const [stage] = config.stages;
      if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
      const [{ name, weight: _, ...options }] = stage.rewards;
      expect(getReward(name, options).name).toBe(name);
    }
  });

  it('takes the options that the YAML gives', () => {
    const soft = getReward('soft_overlong', { max_tokens: 100, cache: 20 });
    expect(soft.score(batchOfThree())).toEqual([0, -0.5, -1]);
  });

  it.each([
    ['soft_overlong', { max_tokens: 12 }, 'soft_overlong.cache: missing — must be a whole number; for example 4'],
    ['soft_overlong', { max_tokens: 12, cache: 0 }, 'soft_overlong.cache: 0 — must be 1 or more; for example 4'],
    ['soft_overlong', { max_tokens: 4, cache: 8 }, 'soft_overlong.cache: 8 — longer than max_tokens (4); lower it.'],
    [
      'soft_overlong',
      { max_tokens: 12, cach: 4 },
      'soft_overlong.cach: 4 — no such option of soft_overlong (it takes max_tokens, cache); the nearest is cache.',
    ],
    ['accuracy', { cach: 4 }, 'accuracy.cach: 4 — no such option of accuracy (it takes none); leave it out.'],
    ['accuracy', { wieght: 0.5 }, 'the nearest is weight.'],
  ])('refuses of %s the options %j', (name, options, message) => {
    expect(() => getReward(name, options)).toThrow(message);
  });

  it('looks up own functions before the built-in ones, under the name that the config gives them', () => {
    const own = { accuracy: reward('mine', () => [2, 2, 2]) };
    expect(getReward('accuracy', {}, own).score(batchOfThree())).toEqual([2, 2, 2]);
    expect(getReward('accuracy', {}, own).name).toBe('accuracy');
    expect(() => getReward('accuracy', { cache: 4 }, own)).toThrow('it takes none');
  });

  it('an unknown name is refused with the nearest one', () => {
    expect(() => getReward('acuracy')).toThrow(
      'reward_funcs: "acuracy" — no such reward function; did you mean "accuracy"?',
    );
    expect(() => getReward('constructor')).toThrow('no such reward function');
  });
});

describe('scoreRewards', () => {
  it('keeps the order of the functions, whichever answers first', async () => {
    const slow = reward('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return [1, 2, 3];
    });
    const { rewards, failures } = await scoreRewards([slow, accuracyReward], batchOfThree());
    expect(rewards).toEqual([
      [1, 2, 3],
      [1, 0, null],
    ]);
    expect(failures).toEqual([]);
  });

  it('reports a function that throws or rejects, and gives nulls for it alone', async () => {
    const throws = reward('throws', () => {
      throw new TypeError('no such column');
    });
    const rejects = reward('rejects', () => Promise.reject('server is gone'));
    const { rewards, failures } = await scoreRewards([throws, accuracyReward, rejects], batchOfThree());
    const remedy = 'correct it, or give null where it does not apply';
    expect(rewards).toEqual([
      [null, null, null],
      [1, 0, null],
      [null, null, null],
    ]);
    const rows = [0, 1, 2];
    expect(failures).toEqual([
      { name: 'throws', message: `reward "throws" failed in step 8: TypeError: no such column — ${remedy}.`, rows },
      { name: 'rejects', message: `reward "rejects" failed in step 8: server is gone — ${remedy}.`, rows },
    ]);
  });

  it.each([
    ['too few values', [1], 'gave 1 values for 3 completions in step 8'],
    ['no values', undefined, 'gave undefined in step 8'],
    ['values under names', { a: 1 }, 'gave an object in step 8'],
  ])('reports %s', async (_label, values, text) => {
    const wrong = reward('wrong', () => values as unknown as number[]);
    const { rewards, failures } = await scoreRewards([wrong], batchOfThree());
    expect(rewards).toEqual([[null, null, null]]);
    expect(failures[0].message).toContain(text);
  });

  it.each([
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    ['1', '"1"'],
    [undefined, 'undefined'],
    [{ score: 1 }, 'an object'],
  ])('reports the value %s and keeps the others', async (bad, shown) => {
    const wrong = reward('wrong', () => [0.5, bad as number, null]);
    const { rewards, failures } = await scoreRewards([wrong], batchOfThree());
    expect(rewards).toEqual([[0.5, null, null]]);
    expect(failures).toHaveLength(1);
    expect(failures[0].message).toContain(`gave ${shown} for completion 2 of 3 in step 8 (`);
  });

  it.each([1e308, -1e308, 1.01e6])('names the reward that gives %s, which no step could use', async (large) => {
    const { rewards, failures } = await scoreRewards([reward('huge', () => [large, 1e6, -1e6])], batchOfThree());
    expect(rewards).toEqual([[null, 1e6, -1e6]]);
    expect(failures[0].message).toMatch(/^reward "huge" gave .*1 such in all — give a number from -1000000 to 1000000/);
  });

  it('holds a function to the range that it declares', async () => {
    const bounded = { ...reward('bounded', () => [0.5, 2, -0.1]), range: [0, 1] as const };
    const { rewards, failures } = await scoreRewards([bounded], batchOfThree());
    expect(rewards).toEqual([[0.5, null, null]]);
    expect(failures[0].message).toMatch(
      /^reward "bounded" gave 2 for completion 2 .*2 such in all — give a number from 0 to 1, as its range says/,
    );
  });

  it('counts the holes of a list that was not filled', async () => {
    const { rewards, failures } = await scoreRewards([reward('holes', () => new Array(3))], batchOfThree());
    expect(rewards).toEqual([[null, null, null]]);
    expect(failures[0].message).toContain('gave undefined for completion 1 of 3');
    expect(failures[0].message).toContain('3 such in all');
  });
});

describe('combineRewards', () => {
  it('leaves null out of the weighted sum, and is null where all are', () => {
    const matrix = [
      [1, 1, null, null],
      [null, 1, 1, null],
    ];
    expect(combineRewards(matrix, [1, 0.5])).toEqual([1, 1.5, 0.5, null]);
  });

  it('takes weight 0 as a metric that adds nothing', () => {
    expect(combineRewards([[1], [5]], [1, 0])).toEqual([1]);
  });

  it('replaces the sum of what a gate gives 0 or less, and lets pass what it does not judge', () => {
    const matrix = [
      [1, 1, 0.5, null],
      [1, 0, -1, null],
    ];
    expect(combineRewards(matrix, [1, 0], [undefined, -2])).toEqual([1, -2, -2, null]);
    expect(combineRewards(matrix, [1, 1], [undefined, 0])).toEqual([2, 0, 0, null]);
    expect(combineRewards([[null], [0]], [1, 0], [undefined, 0])).toEqual([0]);
  });

  it('refuses a number of weights that is not the number of functions', () => {
    expect(() => combineRewards([[1], [1]], [1])).toThrow(
      'reward_weights: [1] — one weight for each of 2 reward functions',
    );
  });
});
