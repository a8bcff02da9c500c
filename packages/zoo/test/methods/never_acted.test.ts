/** What a run says of methods that have done nothing in a whole stage: that, with their counts, and nothing of those that act. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { type Method, method } from '../../../../src/methods/method.ts';
import type { CreditStep, RolloutStrategy } from '../../../../src/methods/points.ts';
import { captureCheckpoint } from '../../../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../../../src/run/checkpoint/restore.ts';
import { encodeStrictJson } from '../../../../src/run/json.ts';
import { openSmallRun, plainWasm, smallConfig } from '../../../../test/support/small_runs.ts';

let backend: Backend;
beforeAll(async () => {
  backend = await plainWasm();
});

const about = { does: 'Tries.', formula: 'x', source: 'own', certainty: 'own' } as const;

/** A class with state of its own, which acts at one step alone. */
class Once implements CreditStep {
  #calls = 0;
  state = (): number => this.#calls;
  restore(calls: number): void {
    this.#calls = calls;
  }
  apply: CreditStep['apply'] = (groups) =>
    ++this.#calls === 1
      ? groups.map((group) => ({ ...group, advantages: group.advantages.map((x) => 2 * x) }))
      : groups.map((group) => ({ ...group }));
}

const methods: Readonly<Record<string, Method<unknown>>> = {
  './once.ts': method({ id: 'once', about, create: (): CreditStep => new Once() }),
  './ones.ts': method({
    id: 'ones',
    about,
    create: (): CreditStep => ({
      apply: (groups) =>
        groups.map((group) => ({
          ...group,
          tokenWeights: group.rollouts.map(({ tokens }) => new Float32Array(tokens.length).fill(1)),
        })),
    }),
  }),
  './asks.ts': method({
    id: 'asks',
    about,
    create: (): RolloutStrategy => ({
      async rollOut(requests, next, { metric }) {
        const groups = await next(requests);
        await next(requests.slice(0, 1));
        metric('yes', 0);
        metric('no', 0);
        return groups;
      },
    }),
  }),
};

async function saidOf(run: TrainingRun, steps = Number.POSITIVE_INFINITY): Promise<string[]> {
  const said: string[] = [];
  let taken = 0;
  for await (const event of train(run)) {
    if (event.type === 'diagnosis' && event.diagnosis.code === 'never-acted') said.push(event.diagnosis.message);
    if (event.type === 'step' && ++taken >= steps) break;
  }
  return said;
}

async function said(yaml: string): Promise<string> {
  const run = await openSmallRun(backend, { yaml, methods });
  try {
    return (await saidOf(run)).join('\n');
  } finally {
    await run.engine.policy.close();
  }
}

const of = (...lines: readonly string[]): Promise<string> => said(smallConfig(lines.join('\n')));

describe('a method that never acted', () => {
  it.each([
    [
      'token_controls: [{name: repetition-stop, times: 9}]',
      'token_controls: repetition-stop changed nothing (acted 0)',
    ],
    ['credit_steps: [{name: length-mask, max_tokens: 24}]', 'credit_steps: length-mask changed nothing'],
    ['credit_steps: [./ones.ts]', 'credit_steps: ones changed nothing'],
    ['group_steps: [{name: reward-transform, reward: lcs}]', 'group_steps: reward-transform changed nothing'],
    ['objective: dual-clip\nnum_iterations: 2', 'objective: dual-clip logged nothing but 0 (dual_clip 0)'],
    ['delta: 9\nnum_iterations: 2', 'objective: ppo-clip logged nothing but 0 (delta 0)'],
    ['controllers: [{name: until, until_metric: reward, until_value: 9}]', 'controllers: until changed nothing'],
    ['prompt_source: [stream, {name: bands}]', 'prompt_source: bands changed nothing'],
    ['rollout_strategies: [./asks.ts]', 'rollout_strategies: asks logged nothing but 0 (yes 0, no 0)'],
  ])('%s is said to have done so, with its counts', async (line, text) => {
    expect(await of(line)).toMatch(
      new RegExp(`^In all 3 steps of this stage ${text.replace(/[()]/g, '\\$&')}\\. What`),
    );
  });

  it.each([
    [''],
    ['credit_steps: [./once.ts]'],
    ['loss_terms: [m-ratio]\ncontrollers: [m-grad]\ngroup_steps: [m-signal]'],
    ['beta: 0.1\nentropy_coef: 0.01'],
    ['loss_terms: [kl-cov]'], // which is said before step 1
  ])('%j gives no reason to', async (line) => {
    expect(await of(line)).toBe('');
  });

  it('in a supervised stage, by what it weighs', async () => {
    const stages = (mark: string): string =>
      smallConfig('', 2).replace(
        'max_steps: 2',
        `stages:\n  - {stage: sft, max_steps: 2, demonstrations: {name: token-weighted-sft, mark: "${mark}"}}\n  - {stage: grpo, max_steps: 1}`,
      );
    expect(await said(stages('>'))).toMatch(
      /^In all 2 steps of this stage demonstrations: token-weighted-sft changed nothing\./,
    );
    expect(await said(stages('a'))).toBe('');
  });

  it('and one that acted before a kill has acted for the run that goes on', async () => {
    const yaml = smallConfig('credit_steps: [./once.ts, ./ones.ts]');
    const killed = await openSmallRun(backend, { yaml, methods });
    await saidOf(killed, 1);
    const checkpoint = await captureCheckpoint(killed, { metrics: 0, completions: 0 }, 0);
    await killed.engine.policy.close();
    const resumed = await openSmallRun(backend, { yaml, methods });
    restoreCheckpoint(resumed, { ...checkpoint, state: JSON.parse(encodeStrictJson(checkpoint.state)) });
    const [message] = await saidOf(resumed);
    expect(message).toContain('ones changed nothing');
    expect(message).not.toContain('once');
    await resumed.engine.policy.close();
  });
});
