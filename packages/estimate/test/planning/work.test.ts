import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../../src/config/run_config.ts';
import { delegating, type TaskSet } from '../../../../src/data/task_set.ts';
import { type Method, method } from '../../../../src/methods/method.ts';
import type { RolloutStrategy } from '../../../../src/methods/points.ts';
import { membersOf, parseConfig, planCapacity } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { groupRows } from '../../rows.ts';
import { type StageWork, typicalLengths, plannedWork as workOfStages } from '../../work.ts';

const HEAD = 'task: {name: sort_digits, digits: 4}\nstages:\n';

function plannedWork(
  config: RunConfig,
  tasks: TaskSet,
  keepsForward = planCapacity(config, tasks).keptRows > 0,
  members = config.stages.map((stage) => (stage.stage === 'grpo' ? membersOf(stage) : [])),
): readonly StageWork[] {
  return workOfStages(config, tasks, members, keepsForward);
}

function workOf(stages: string): readonly StageWork[] {
  const { config } = parseConfig(`${HEAD}${stages}`, { file: 'inline' });
  return plannedWork(config, createTasks(config));
}

const OPENING = new Int32Array(40).fill(1);

/** sort_digits with four digits has prompts of 5 tokens, answers of 4, and this many held-out problems. */
const HELD_OUT = 2109;

describe('plannedWork', () => {
  it('counts a trained row three times, a sampled one once, and a forward pass that is kept not again', () => {
    const [sft, grpo] = workOf(
      '  - {stage: sft, max_steps: 10, per_device_train_batch_size: 4}\n' +
        '  - {stage: grpo, max_steps: 20, num_generations: 8, generation_batch_size: 16}',
    );
    expect(sft?.perStep).toBeCloseTo(3 * 4 * (5 + 3));
    expect(grpo?.perStep).toBeCloseTo(2 * (5 + 8 * 4) + 2 * 2 * (5 + 8 * 3));
    const [reference] = workOf(
      '  - {stage: grpo, max_steps: 20, num_generations: 8, generation_batch_size: 16, beta: 0.1}',
    );
    expect(reference?.perStep).toBeCloseTo(2 * (5 + 8 * 4) + 3 * 2 * (5 + 8 * 3));
    expect(grpo?.perEvaluation).toBeCloseTo(HELD_OUT * (2 * 5 + 5 * 4));
  });

  it('counts answers to the limit where rows have none, and a verifier judges', () => {
    const yaml = `${HEAD}  - {stage: grpo, max_steps: 20, num_generations: 8, generation_batch_size: 16}`;
    const { config } = parseConfig(yaml, { file: 'inline' });
    const tasks = createTasks(config);
    const eos = Int32Array.of(tasks.codec.eosTokenId);
    const [{ perEvaluation }] = plannedWork(config, delegating(tasks, { demonstrationTokens: () => eos }));
    expect(perEvaluation).toBeCloseTo(HELD_OUT * (2 * 5 + 5 * 4));
  });

  it('spreads a rollout over the steps that use it, and draws dead groups again where they are refilled', () => {
    const plain = workOf('  - {stage: grpo, max_steps: 20, num_generations: 8, generation_batch_size: 80}');
    const twice = workOf(
      '  - {stage: grpo, max_steps: 20, num_generations: 8, generation_batch_size: 80, num_iterations: 2}',
    );
    const refilled = workOf(
      '  - {stage: grpo, max_steps: 20, num_generations: 8, generation_batch_size: 80, dynamic_sampling: {name: refill, max_rounds: 1}}',
    );
    const sampled = 10 * (5 + 8 * 4);
    const forward = 10 * (5 + 8 * 3);
    expect(plain[0]!.perStep - twice[0]!.perStep).toBeCloseTo((sampled - forward) / 2);
    expect(refilled[0]!.perStep - plain[0]!.perStep).toBeCloseTo(0.2 * sampled);
  });

  it('samples a fifth of the groups again with a hint, and a fifth of these with more of it', () => {
    const stage = (lines: string): number =>
      workOf(`  - {stage: grpo, max_steps: 20, num_generations: 8, generation_batch_size: 80${lines}}`)[0].perStep;
    const [plain, group] = [stage(''), 5 + 8 * 4];
    const strategy = (line: string): number => stage(`, rollout_strategies: [${line}]`) - plain;
    expect(strategy('{name: hint-resample, hint_levels: 3}')).toBeCloseTo(10 * 0.2 * (1 + 0.2 + 0.04) * group);
    expect(strategy('{name: minimal-hint-replace, hint_levels: 3, level_samples: 2}')).toBeCloseTo(
      10 * 0.2 * 3 * (5 + 2 * 4),
    );
    expect(strategy('{name: answer-conditioned, answer_samples: 4}')).toBeCloseTo(10 * 0.2 * (5 + 4 * 4));
    expect(strategy('temperature-mix')).toBe(0);
  });

  it('counts once, where prompts are sampled together, what all of them begin with', () => {
    const stage = '  - {stage: grpo, max_steps: 20, num_generations: 8, generation_batch_size: 80, eval_samples: 10}';
    const { config } = parseConfig(`${HEAD}${stage}`, { file: 'inline' });
    const tasks = createTasks(config);
    const opened = delegating(tasks, {
      promptTokens: (item) => Int32Array.of(...OPENING, ...tasks.promptTokens(item)),
    });
    const [[plain], [shared]] = [plannedWork(config, tasks, true), plannedWork(config, opened, true)];
    const long = OPENING.length;
    expect(shared.perStep - plain.perStep).toBeCloseTo(long + 2 * 10 * long); // sampled, and trained on
    expect(shared.perEvaluation - plain.perEvaluation).toBeCloseTo(2 * long);
  });

  it('takes what a method of the caller says of itself', () => {
    const own: Method<unknown> = method({
      id: 'again',
      about: { does: 'Samples twice.', formula: 'x', source: 'own', certainty: 'own' },
      options: {},
      work: (_, { batch }, lengths) => ({ rows: groupRows(batch.numGenerations, lengths) }),
      create: (): RolloutStrategy => ({ rollOut: (requests, next) => next(requests) }),
    });
    const stage = '  - {stage: grpo, max_steps: 20, num_generations: 8, generation_batch_size: 80';
    const { config } = parseConfig(`${HEAD}${stage}, rollout_strategies: [./again.ts]}`, { file: 'inline' });
    const tasks = createTasks(config);
    const members = config.stages.map((one) => (one.stage === 'sft' ? [] : membersOf(one, { './again.ts': own })));
    const [unknown] = plannedWork(config, tasks, true);
    const [known] = plannedWork(config, tasks, true, members);
    expect(known.perStep - unknown.perStep).toBeCloseTo(10 * (5 + 8 * 4));
  });

  it.each<[string, string, number[]]>([
    ['one after the last step', '  - {stage: sft, max_steps: 10, eval_strategy: "no"}', [1]],
    ['the last of the periodic ones is the final one', '  - {stage: sft, max_steps: 10, eval_steps: 5}', [2]],
    ['a baseline before the first grpo step', '  - {stage: grpo, max_steps: 10, eval_steps: 4}', [1 + 2 + 1]],
    [
      'a stage that is not the last has no final one',
      '  - {stage: sft, max_steps: 10, eval_steps: 4}\n  - {stage: grpo, max_steps: 3}',
      [2, 1 + 1],
    ],
  ])('counts evaluations: %s', (_, stages, counts) => {
    expect(workOf(stages).map(({ evaluations }) => evaluations)).toEqual(counts);
  });
});

/** What `npm run bench -- strategy-costs` has measured. */
interface Measured {
  readonly seconds: { readonly median: number };
  readonly sampled: number;
  readonly trained: number;
}

const read = (path: string): string => readFileSync(new URL(`../../../../bench/${path}`, import.meta.url), 'utf8');
const { steps: MEASURED } = JSON.parse(read('results/strategy-costs.json')).results as {
  readonly steps: Readonly<Record<string, Measured>>;
};

/** Rows of a step of the benchmark, with as many dead groups as it had: the plan knows none. */
function rowsOf(id: string, lines: readonly string[], passes: number): number {
  const yaml = read('strategies/costs.yaml').replace('    loss_type: dr_grpo\n', '');
  const { config } = parseConfig([yaml, ...lines].join('\n    '), { file: 'costs.yaml' });
  const tasks = createTasks(config);
  const { prompt, completion } = typicalLengths(tasks, config.seed);
  const dead = 1 - MEASURED[id].trained / MEASURED.plain.sampled;
  const trained = 16 * (prompt + 16 * (completion - 1));
  return plannedWork(config, tasks, true)[1].perStep - dead * passes * trained;
}

describe('the work of a strategy is near what its steps take, of a plain one:', () => {
  const loss = 'loss_type: dr_grpo';
  // Seconds vary by 10 % between the rounds of the benchmark, for the plain step too.
  it.each([
    ['ref-prob', ['rollout_strategies: [{name: ref-prob, mark: "="}]', loss], 3],
    ['r3', ['rollout_strategies: [{name: r3, mark: "="}]', loss], 3],
    ['verifree', ['rollout_strategies: [{name: verifree, mark: "="}]', 'objective: verifree-loss'], 3],
    ['vsrm', ['rollout_strategies: [vsrm]', loss], 2],
  ] as const)('%s', (id, lines, passes) => {
    const measured = MEASURED[id].seconds.median / MEASURED.plain.seconds.median;
    const planned = rowsOf(id, lines, passes) / rowsOf('plain', [loss], 2);
    expect(planned / measured).toBeGreaterThan(0.9);
    expect(planned / measured).toBeLessThan(1.1);
  });
});
