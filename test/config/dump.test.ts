import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { resolvedYaml } from '../../src/config/dump.ts';
import { parseConfig } from '../support/everything.ts';

const positive = (max: number) => fc.double({ min: 1e-9, max, noNaN: true });
const knob = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 3 }),
);
const options = fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), knob, { maxKeys: 3, noNullPrototype: true });
const rewardName = fc.stringMatching(/^[a-z]{1,8}$/);

const shared = {
  max_steps: fc.integer({ min: 10, max: 5000 }),
  learning_rate: positive(1),
  lr_scheduler_type: fc.constantFrom('linear', 'cosine'),
  lr_scheduler_kwargs: fc.record({ min_lr_rate: fc.double({ min: 0, max: 1, noNaN: true }) }, { requiredKeys: [] }),
  warmup_steps: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.double({ min: 0, max: 0.99, noNaN: true })),
  adam_beta2: fc.double({ min: 0, max: 0.9999, noNaN: true }),
  eval_strategy: fc.constantFrom('steps', 'no'),
  eval_steps: fc.integer({ min: 1, max: 1000 }),
  eval_samples: fc.integer({ min: 1, max: 99 }),
  eval_temperature: positive(2),
  reset_optimizer: fc.boolean(),
  optim: fc.constantFrom('adamw', 'muon'),
};

const sft = fc.record({
  stage: fc.constant('sft'),
  ...shared,
  per_device_train_batch_size: fc.integer({ min: 1, max: 99 }),
});

const batch = fc
  .record({
    group: fc.integer({ min: 2, max: 16 }),
    groups: fc.integer({ min: 1, max: 4 }),
    updates: fc.integer({ min: 1, max: 4 }),
    accumulation: fc.integer({ min: 1, max: 4 }),
  })
  .chain(({ group, groups, updates, accumulation }) => {
    const micro = group * groups;
    const size = micro * accumulation * updates;
    return fc.constantFrom<Record<string, number>>(
      { num_generations: group },
      { num_generations: group, generation_batch_size: size },
      { num_generations: group, per_device_train_batch_size: micro, steps_per_generation: updates },
      {
        num_generations: group,
        per_device_train_batch_size: micro,
        generation_batch_size: size,
        gradient_accumulation_steps: accumulation,
      },
    );
  });

const grpo = fc
  .tuple(
    batch,
    fc.record(
      {
        stage: fc.constant('grpo'),
        ...shared,
        temperature: positive(5),
        min_p: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
        max_completion_length: fc.option(fc.integer({ min: 1, max: 999 })),
        loss_type: fc.constantFrom('dapo', 'grpo', 'bnpo', 'dr_grpo'),
        epsilon_high: fc.option(positive(1)),
        delta: fc.option(fc.double({ min: 2.1, max: 9, noNaN: true })),
        scale_rewards: fc.constantFrom<string | boolean>('group', 'batch', 'none', true, false),
        dynamic_sampling: fc.constantFrom<unknown>('none', 'refill', { name: 'refill', max_rounds: 7 }),
        reward_funcs: fc.oneof(
          rewardName,
          fc.uniqueArray(
            fc.tuple(rewardName, options, positive(3)).map(([name, rest, weight]) => ({ ...rest, name, weight })),
            { minLength: 1, maxLength: 3, selector: (reward) => reward.name },
          ),
        ),
      },
      { requiredKeys: ['stage', 'max_steps'] },
    ),
  )
  .map(([sizes, rest]) => ({ ...sizes, ...rest }));

const run = fc.record(
  {
    task: fc.oneof(
      rewardName,
      options.map((knobs) => ({ ...knobs, name: 'countdown' })),
    ),
    model: fc.record(
      {
        hidden_size: fc.constantFrom(64, 128, 192),
        num_attention_heads: fc.constantFrom(1, 2, 4),
        num_key_value_heads: fc.constantFrom(1, null),
        tie_word_embeddings: fc.boolean(),
        max_position_embeddings: fc.integer({ min: 1, max: 4096 }),
      },
      { requiredKeys: [] },
    ),
    seed: fc.nat(),
    output_dir: fc.string({ minLength: 1 }),
    threads: fc.option(fc.integer({ min: 1, max: 64 })),
    stages: fc.array(fc.oneof(sft, grpo), { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ['task', 'stages'] },
);

it('writes several tasks as several, and a list of one as one', () => {
  const several = '[countdown, {name: sort_digits, level: 1, weight: 2}]';
  const { config } = parseConfig(`tasks: ${several}\nmax_steps: 3\n`, { file: 'several.yaml' });
  expect(config.tasks).toEqual([
    { task: { name: 'countdown' }, weight: 1 },
    { task: { name: 'sort_digits', level: 1 }, weight: 2 },
  ]);
  expect(parseConfig(resolvedYaml(config), { file: 'resolved.yaml' }).config).toStrictEqual(config);
  const one = parseConfig('tasks: [{name: sort_digits, digits: 3}]\nmax_steps: 3\n', { file: 'one.yaml' }).config;
  expect(one).toEqual(parseConfig('task: {name: sort_digits, digits: 3}\nmax_steps: 3\n', { file: 'one.yaml' }).config);
});

it('parsing a dumped config gives the same config, and dumping that the same text', () => {
  fc.assert(
    fc.property(run, (written) => {
      const { config } = parseConfig(stringify(written, { aliasDuplicateObjects: false }), { file: 'random.yaml' });
      const text = resolvedYaml(config);
      const again = parseConfig(text, { file: 'resolved.yaml' });
      expect(again.config).toStrictEqual(config);
      expect(resolvedYaml(again.config)).toBe(text);
    }),
    { numRuns: 150 },
  );
});

it('every key of a dumped config has an origin, and none is a default once it is written out', () => {
  const { config } = parseConfig('task: countdown\nmax_steps: 3\n', { file: 'short.yaml' });
  const { origins } = parseConfig(resolvedYaml(config), { file: 'full.yaml' });
  expect([...origins].filter(([, origin]) => origin === 'default')).toEqual([]);
  expect(origins.size).toBeGreaterThan(40);
});
