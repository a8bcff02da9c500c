/** Runs whose methods see whole distributions, and the reference at credit time: their bits, and what they are told. */
import { afterAll, describe, expect, it } from 'vitest';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { method } from '../../../../src/methods/method.ts';
import type { CreditStep } from '../../../../src/methods/points.ts';
import type { CreditedGroup } from '../../../../src/methods/records.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import { tokensOf } from '../../../../test/grpo/step_parts.ts';
import { rewards, YAML } from '../../../../test/grpo/tiny_stage.ts';
import { finishSmallRun, openSmallRun, type SmallRun } from '../../../../test/support/small_runs.ts';
import { refLogprobs } from '../../methods/uses/ref_logprobs.ts';
import { uniformDivergences, uniformKl } from '../../methods/uses/uniform_kl.ts';

const METHODS = `
loss_terms: [{name: kl-exact, kl_exact_coef: 0.05}, {name: lp-reg, lp_reg_share: 0.5}]
credit_steps: [{name: kl-reward, kl_credit: token}]`;

const run = (...lines: readonly string[]): SmallRun => ({ yaml: [YAML, METHODS, ...lines].join('\n'), rewards });

describe('a run with exact KL, Lp-Reg and KL in its rewards', () => {
  it('has the same weights with 1, 2 and 3 threads, in one micro-batch and in three', async () => {
    const whole = await finishSmallRun(await wasmBackend({ threads: 1 }), run());
    for (const [threads, ...lines] of [[2], [3], [2, 'per_device_train_batch_size: 4']] as [number, ...string[]][]) {
      const other = await finishSmallRun(await wasmBackend({ threads }), run(...lines));
      expect(other.sha256).toBe(whole.sha256);
    }
    expect(whole.metrics).toHaveLength(3);
    const last = whole.metrics.at(-1) ?? {};
    expect(Number(last.kl_exact)).toBeGreaterThan(0);
    expect(whole.metrics[0].kl_exact).toBe(0);
    expect(whole.metrics[0]['kl-reward/kl']).toBe(0);
    expect(Number(last['kl-reward/kl'])).not.toBe(0);
  });

  it('plans distributions where a method asks for them, and nowhere else', async () => {
    const backend = await wasmBackend({ threads: 1 });
    const [asks, plain] = [await openSmallRun(backend, run()), await openSmallRun(backend, { yaml: YAML, rewards })];
    const { lossRows } = asks.engine.policy.capacity;
    expect(asks.engine.policy.capacity.outputRows?.distributions).toBe(lossRows);
    expect(plain.engine.policy.capacity).not.toHaveProperty('outputRows');
    expect(plain.engine.policy.plan.memory.arenas.map(({ name }) => name)).not.toContain('distributions');
    for (const opened of [asks, plain]) await opened.engine.policy.close();
  });
});

describe('what a method is told of sampled tokens', () => {
  const told: CreditedGroup[] = [];
  const listen = method({
    id: 'listen',
    about: { does: 'Listens.', formula: 'A', source: 'own', certainty: 'own' },
    options: {},
    uses: () => [refLogprobs, uniformKl],
    create: (): CreditStep => ({
      apply(groups) {
        told.push(...groups);
        return groups;
      },
    }),
  });
  const opened = (async () =>
    openSmallRun(await wasmBackend({ threads: 2 }), {
      yaml: `${YAML}\ncredit_steps: [./listen.ts]\nper_device_train_batch_size: 4`,
      rewards,
      methods: { './listen.ts': listen },
    }))();

  afterAll(async () => (await opened).engine.policy.close());

  it('is of the policy that sampled them, and gone behind the credit', async () => {
    const own = await opened;
    for await (const event of train(own)) {
      if (event.type !== 'rollouts') continue;
      for (const rollout of event.groups.flatMap(({ rollouts }) => rollouts)) {
        expect(rollout).not.toHaveProperty('figures');
      }
      break; // the weights are still those that sampled
    }
    expect(told.length).toBeGreaterThan(0);
    for (const group of told) {
      const batch = packBatch([tokensOf(group)]);
      const { distributions } = await own.engine.policy.score(batch, 1, 'policy', ['distributions']);
      const divergences = uniformDivergences(distributions ?? new Float32Array(), own.engine.policy.shape.vocabSize);
      batch.completionOf.forEach((completion, row) => {
        expect(uniformKl.of(group.rollouts[completion])?.[batch.tokenOf[row]]).toBe(divergences[row]);
      });
      expect(divergences.every((value) => value > 0)).toBe(true);
      for (const rollout of group.rollouts) expect(refLogprobs.of(rollout)).toEqual(rollout.logprobs); // the same policy
    }
  });
});
