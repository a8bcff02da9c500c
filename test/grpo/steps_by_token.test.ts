/** Steps of a solution: by characters in the verdict, by tokens in the rollout, and only where a method reads them. */

import { describe, expect, it } from 'vitest';
import { delegating } from '../../src/data/task_set.ts';
import { judgedCompletions } from '../../src/grpo/rollout/complete.ts';
import { stepsByToken } from '../../src/grpo/rollout/steps_by_token.ts';
import { type Method, method } from '../../src/methods/method.ts';
import type { AdvantageEstimator } from '../../src/methods/points.ts';
import { solutionSteps } from '../../src/methods/uses/solution_steps.ts';
import { collect, reinforced } from './step_parts.ts';

const COUNTDOWN = { task: { name: 'countdown', numbers: 3 } };

describe('the steps of a verdict, by tokens', () => {
  it('are the tokens that wrote them: no comma, no end', async () => {
    const {
      engine: { tasks },
    } = await reinforced(COUNTDOWN);
    const text = '3 * 2 = 6 , 7 + 6 = 13';
    const tokens = Int32Array.from([...tasks.codec.encode(text), tasks.codec.eosTokenId]);
    const steps = [
      { from: 0, to: 9, score: 1 },
      { from: 12, to: 22, score: 0.5 },
    ];
    expect(stepsByToken(tasks.codec, tokens, steps)).toEqual([
      { from: 0, to: 5, score: 1 },
      { from: 6, to: 11, score: 0.5 },
    ]);
  });

  it('take in a token that wrote a part of them, and leave out what no token wrote', () => {
    const codec = { decode: (ids: ArrayLike<number>) => 'abc'.repeat(ids.length) };
    const steps = [
      { from: 2, to: 4, score: 1 },
      { from: 7, to: 20, score: 0 },
      { from: 30, to: 40, score: 1 },
    ];
    expect(stepsByToken(codec, Int32Array.of(1, 1, 1), steps)).toEqual([
      { from: 0, to: 2, score: 1 },
      { from: 2, to: 3, score: 0 },
    ]);
  });

  it('are there for a method that reads them alone', async () => {
    const readsSteps: Method<unknown> = method({
      id: 'reads-steps',
      about: { does: 'Reads.', formula: 'x', source: 'own', certainty: 'own' },
      options: {},
      uses: () => [solutionSteps],
      create: (): AdvantageEstimator => ({
        estimate: (groups) => groups.map(() => ({ advantages: new Float32Array() })),
      }),
    });
    const methods = { './reads.ts': readsSteps };
    const [plain] = (await collect(await reinforced(COUNTDOWN))).groups;
    const asked = { ...COUNTDOWN, advantage_estimator: './reads.ts' };
    const run = await reinforced(asked, { methods });
    const [group] = (await collect(run)).groups;
    expect(plain.rollouts.some((rollout) => 'steps' in rollout || 'steps' in rollout.verdict)).toBe(false);
    expect(group.rollouts.every(({ steps, verdict }) => steps?.length === verdict.steps?.length)).toBe(true);
    const written = [run.engine.tasks.codec.encode('9 + 1 = 10')];
    const completion = { ...group.rollouts[0], tokens: written[0], finishReason: 'stop' as const };
    const [[judged]] = await judgedCompletions(run.engine.tasks, [group.item], [[completion]], { wantsSteps: true });
    expect(judged.steps).toEqual([{ from: 0, to: 5, score: expect.any(Number) }]);
    await expect(reinforced({ advantage_estimator: './reads.ts' }, { methods })).rejects.toThrow(
      'reads-steps: reads the steps of a solution, and reverse_text has none; use countdown with answer: steps',
    );
  });

  it('and what was wrong are asked of a verifier in another thread too', async () => {
    const {
      engine: { tasks },
      config,
    } = await reinforced({ task: { name: 'countdown', numbers: 3, answer: 'steps' } });
    const item = tasks.trainItem(config.seed, 0);
    const text = '9 + 1 = 10';
    const tokens = tasks.codec.encode(text);
    const none = new Float32Array(tokens.length);
    const completion = { tokens, logprobs: none, entropies: none, keptLogMass: none, finishReason: 'stop' } as const;
    const wants = { wantsSteps: true, wantsFeedback: true } as const;
    const elsewhere = delegating(tasks, {
      verify: () => {
        throw new Error('not in this thread');
      },
      judge: async (answers) => answers.map((one) => tasks.verify(one.item, one.completion, one.context)),
    });
    const here = await judgedCompletions(tasks, [item], [[completion]], wants);
    expect(here[0][0].steps).toEqual([{ from: 0, to: 5, score: expect.any(Number) }]);
    expect(here[0][0].verdict.feedback).toEqual(expect.any(String));
    expect(await judgedCompletions(elsewhere, [item], [[completion]], wants)).toEqual(here);
    const [[plain]] = await judgedCompletions(elsewhere, [item], [[completion]]);
    expect([plain.steps, plain.verdict.feedback]).toEqual([undefined, undefined]);
  });
});
