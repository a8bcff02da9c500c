/** The doors into what runs a policy: requests that say all, so that any generator answers them with the same bits. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/grpo/engine.ts';
import type { Generator, SampleRequest, SampleSettings } from '../../src/grpo/generator.ts';
import { completionEnd } from '../../src/grpo/rollout/completion_end.ts';
import { samplingKey, stageOf, type TrainingRun, totalSteps } from '../../src/grpo/run.ts';
import { train } from '../../src/grpo/trainer.ts';
import { wholeVocabulary } from '../../src/model/sampling/generation.ts';
import { weightsSha256 } from '../../src/run/model/model_files.ts';
import { TOKEN } from '../../src/token_kinds.ts';
import { reinforced } from './step_parts.ts';

const ROLLOUTS = [4, 9, 11];

let run: TrainingRun;
let prompt: Int32Array;
let settings: SampleSettings;
beforeAll(async () => {
  run = await reinforced();
  const { tasks } = run.engine;
  prompt = tasks.promptTokens(tasks.trainItem(2, 0));
  settings = {
    sampling: wholeVocabulary(1),
    samplingKey: samplingKey(2, 'rollout'),
    ...completionEnd(tasks, stageOf(run)),
  };
});
afterAll(() => run.engine.policy.close());

async function sampled(rollouts: SampleRequest['rollouts']) {
  const { completions } = await run.engine.generator.sample([{ prompt, rollouts }], settings);
  return completions[0];
}

describe('a request', () => {
  it('that continues from sampled tokens draws what would have followed them', async () => {
    const whole = await sampled(ROLLOUTS.map((rollout) => ({ rollout })));
    const cut = 1;
    const continued = await sampled(
      ROLLOUTS.map((rollout, i) => ({
        rollout,
        tokens: whole[i].tokens.subarray(0, cut),
        labels: new Uint8Array(cut).fill(TOKEN.sampled),
      })),
    );
    expect(whole.some(({ tokens }) => tokens.length > cut + 1)).toBe(true);
    continued.forEach(({ tokens, logprobs, labels }, i) => {
      expect(tokens).toEqual(whole[i].tokens);
      expect(logprobs.subarray(cut)).toEqual(whole[i].logprobs.subarray(cut));
      expect(Array.from(labels ?? []).every((label) => label === TOKEN.sampled)).toBe(true);
    });
  });

  it('of a later turn has random numbers of its own, the same at every call', async () => {
    const ofTurn = (turn: number) => sampled(ROLLOUTS.map((rollout) => ({ rollout, turn })));
    const [first, second, again] = [await ofTurn(0), await ofTurn(1), await ofTurn(1)];
    expect(second).toEqual(again);
    expect(second.map(({ tokens }) => [...tokens])).not.toEqual(first.map(({ tokens }) => [...tokens]));
  });

  it('does not depend on what it is asked with', async () => {
    const together = await sampled(ROLLOUTS.map((rollout) => ({ rollout })));
    for (const [i, rollout] of ROLLOUTS.entries()) expect(await sampled([{ rollout }])).toEqual([together[i]]);
  });
});

/** A generator that is asked and answers in plain data, without the activations that only the training engine keeps. */
function elsewhere({ generator }: Engine, asked: { count: number }): Generator {
  return {
    async sample(requests, { keep: _, ...rest }) {
      asked.count++;
      return generator.sample(structuredClone(requests), rest);
    },
    score: (sequences, request) => generator.score(structuredClone(sequences), request),
    get weightsVersion() {
      return generator.weightsVersion;
    },
  };
}

it('a run whose completions come from another generator has the bits of one that samples by itself', async () => {
  const finished = async (change: (engine: Engine) => Engine) => {
    const opened = await reinforced({ max_steps: 3, beta: 0.1, reward_funcs: ['lcs'] });
    const changed = { ...opened, engine: change(opened.engine) };
    for await (const _ of train(changed));
    expect(totalSteps(changed)).toBe(3);
    const sha256 = await weightsSha256(opened.engine.policy);
    await opened.engine.policy.close();
    return sha256;
  };
  const asked = { count: 0 };
  const remote = await finished((engine) => ({ ...engine, generator: elsewhere(engine, asked) }));
  expect(asked.count).toBeGreaterThan(2);
  expect(remote).toBe(await finished((engine) => engine));
});
