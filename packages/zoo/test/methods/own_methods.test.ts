/** Methods of the caller's through whole steps: tokens that are put in, a loss of one's own, prompts, a controller's lever. */
import { describe, expect, it } from 'vitest';
import { train } from '../../../../src/grpo/trainer.ts';
import { type Method, method } from '../../../../src/methods/method.ts';
import type { OwnMethods } from '../../../../src/methods/method_list.ts';
import { ppoClip } from '../../../../src/methods/objectives/ppo_clip.ts';
import type { Controller, LossTerm, Surrogate, TokenControl } from '../../../../src/methods/points.ts';
import type { CreditedGroup } from '../../../../src/methods/records.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { killedAndResumed } from '../../../../test/support/killed_runs.ts';
import {
  finishSmallRun,
  openSmallRun,
  plainWasm,
  type SmallRun,
  smallConfig,
} from '../../../../test/support/small_runs.ts';

const ABOUT = { does: 'Tries.', formula: 'x', source: 'own', certainty: 'own' } as const;

const run = (lines: string, methods: OwnMethods = {}): SmallRun => ({ yaml: smallConfig(lines), methods });

/** Puts a letter behind the first one that was sampled. */
const letters: Method<unknown> = method({
  id: 'letters',
  about: ABOUT,
  options: {},
  create: (): TokenControl => ({ after: (tokens) => (tokens.length === 1 ? [5] : undefined) }),
});

describe('tokens that a control puts in', () => {
  const small = run('token_controls: [./letters.ts]', { './letters.ts': letters });

  it('carry no loss, and the update stays on-policy to the bit', async () => {
    const opened = await openSmallRun(await plainWasm(), small);
    const batches: (readonly CreditedGroup[])[] = [];
    for await (const event of train(opened)) if (event.type === 'rollouts') batches.push(event.groups);
    await opened.engine.policy.close();
    const rollouts = batches.flat().flatMap((group) => group.rollouts);
    const labelled = rollouts.filter(({ labels }) => labels !== undefined);
    expect(labelled.length).toBeGreaterThan(0);
    for (const { tokens, labels } of labelled) {
      expect(tokens[1]).toBe(5);
      expect(labels?.[1]).toBe(TOKEN.given);
    }
  });

  it('come back from a checkpoint between two passes', async () => {
    const twice = { ...small, yaml: `${small.yaml}\nnum_iterations: 2` };
    const { killed, resumed } = await killedAndResumed(twice);
    expect(resumed.journal.state.buffer).toEqual(killed.journal.state.buffer);
    await resumed.engine.policy.close();
  });
});

describe('a loss of the host', () => {
  it('trains to the weights of the device, to rounding', async () => {
    const host: Method<unknown> = {
      ...ppoClip,
      create: (options, stage) => {
        const { device: _, ...surrogate } = ppoClip.create(options, stage) as Surrogate;
        return surrogate;
      },
    };
    const own = run('objective: {name: ./host.ts, epsilon: 0.1}\nentropy_coef: 0.02\nbeta: 0.1\nnum_iterations: 2', {
      './host.ts': host,
    });
    const builtIn = run('objective: {name: ppo-clip, epsilon: 0.1}\nentropy_coef: 0.02\nbeta: 0.1\nnum_iterations: 2');
    const [mine, theirs] = [
      await finishSmallRun(await plainWasm(), own),
      await finishSmallRun(await plainWasm(), builtIn),
    ];
    mine.metrics.forEach((metrics, step) => {
      for (const name of ['loss', 'kl', 'grad_norm', 'clip_ratio/region_mean']) {
        expect(Number(metrics[name])).toBeCloseTo(Number(theirs.metrics[step][name]), 5);
      }
    });
  });
});

describe('an objective that is a whole term', () => {
  it('trains as the same one by token does', async () => {
    const byToken: Method<unknown> = method({
      id: 'by-token',
      about: ABOUT,
      options: {},
      create: (): Surrogate => ({
        at({ logprob, advantage }, out) {
          out.loss = -advantage * logprob;
          out.logprobSlope = -advantage;
        },
      }),
    });
    const asTerm: Method<unknown> = method({
      id: 'as-term',
      about: ABOUT,
      options: {},
      create: (): LossTerm => ({
        coupling: 'token',
        add(sequences, gradients) {
          sequences.forEach(({ logprobs, advantages, weights, coefficients }, i) => {
            const { losses, dLogprobs } = gradients[i];
            for (let t = 0; t < coefficients.length; t++) {
              const weight = coefficients[t] * weights[t] * advantages[t];
              losses[t] -= weight * logprobs[t];
              dLogprobs[t] -= weight;
            }
          });
        },
      }),
    });
    const lines = (file: string): string => `objective: ${file}\naggregation: seq-sum\nnum_iterations: 2`;
    const [first, second] = [
      await finishSmallRun(await plainWasm(), run(lines('./by_token.ts'), { './by_token.ts': byToken })),
      await finishSmallRun(await plainWasm(), run(lines('./as_term.ts'), { './as_term.ts': asTerm })),
    ];
    expect(second.sha256).toBe(first.sha256);
  });
});

describe('a controller', () => {
  it('hears every step, and moves the reference to the policy', async () => {
    const heard: number[] = [];
    const resets: Method<unknown> = method({
      id: 'resets',
      about: ABOUT,
      options: {},
      create: (): Controller => ({
        async afterStep(_, levers) {
          heard.push(levers.step);
          levers.metric('heard', heard.length);
          await levers.copyToReference();
        },
      }),
    });
    const small = run('controllers: [./resets.ts]\nbeta: 0.1', { './resets.ts': resets });
    const { metrics } = await finishSmallRun(await plainWasm(), small);
    expect(heard).toEqual([1, 2, 3]);
    expect(metrics.map((step) => step['resets/heard'])).toEqual([1, 2, 3]);
    expect(metrics.map(({ kl }) => Number(kl))).toEqual([0, 0, 0]);
  });
});

describe('prioritized prompts', () => {
  it('prefer what is solved half of the time, and give the same bits twice', async () => {
    const small = run('prompt_source: {name: prioritized, candidates: 3}');
    const [first, second] = [
      await finishSmallRun(await plainWasm(), small),
      await finishSmallRun(await plainWasm(), small),
    ];
    expect(second.sha256).toBe(first.sha256);
    const plain = await finishSmallRun(await plainWasm(), run(''));
    expect(first.sha256).not.toBe(plain.sha256);
  });
});
