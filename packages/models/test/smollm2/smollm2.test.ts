/**
 * A real model: SmolLM2-135M-Instruct says what transformers makes it say, and its sampler is its scorer.
 *
 * Without the model (npx --no-install rlvr-train fetch smollm2) these tests are skipped, and fail where CI requires it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy } from '../../../../src/model/policy.ts';
import { loadGolden, type ScoredText } from '../../../../test/golden/load.ts';
import { budget, fewOf } from '../../../../test/support/budget.ts';
import { expectSameBits } from '../../../../test/support/compare.ts';
import {
  groupOf,
  groupsOf,
  logprobsOf,
  requestsOf,
  sample,
  sampledLogprobs,
} from '../../../../test/support/smollm2_texts.ts';
import type { Pretrained } from '../../run/model/pretrained.ts';
import { openSmolLm2, SMOLLM2_IS_MISSING, smolLm2Policy } from '../support/smollm2.ts';

const golden = loadGolden('smollm2');

/** Of the texts that transformers has scored, and of its prompts; before a release all. */
const DRAWN = fewOf(golden.drawn, { quick: 2, all: 4 });
const GREEDY = budget({ quick: 4, all: 8, release: 20 });

/** Nats: float32 in another order. */
const LOGPROB_TOLERANCE = 2e-4;
/** Logits that are closer than this may come in either order. */
const TIE = 1e-4;

function largestDifference(found: Float32Array, texts: readonly ScoredText[]): number {
  const expected = texts.flatMap(({ logprobs }) => [...logprobs.data]);
  return found.reduce((most, value, i) => Math.max(most, Math.abs(value - (expected[i] as number))), 0);
}

describe.skipIf(SMOLLM2_IS_MISSING)('SmolLM2-135M-Instruct', () => {
  let pretrained: Pretrained;
  let policy: Policy;

  beforeAll(async () => {
    pretrained = await openSmolLm2();
    policy = await smolLm2Policy(pretrained, 2, {});
  });

  afterAll(() => policy?.close());

  it('reads questions as the tokens that transformers makes of them', () => {
    const { codec } = pretrained;
    const prompts = golden.questions.map((content) => codec.encode(codec.render([{ role: 'user', content }])));
    expect(prompts.map((prompt) => [...prompt])).toEqual(golden.greedy.map(({ prompt }) => prompt));
  });

  it('gives texts the log-probs of transformers', async () => {
    const found = await logprobsOf(policy, DRAWN.map(groupOf));
    expect(found.length).toBe(160 * DRAWN.length);
    expect(largestDifference(found, DRAWN)).toBeLessThan(LOGPROB_TOLERANCE);
  });

  it('completes prompts greedily as transformers does, ties excepted, and scores them as it sampled them', async () => {
    const requests = requestsOf(GREEDY, 1);
    const completions = await sample(policy, requests, 0, 48);
    const differing = golden.greedy.slice(0, GREEDY).filter(({ completion, margins }, i) => {
      const first = completion.findIndex((token, at) => token !== completions[i][0].tokens[at]);
      return first >= 0 && (margins.data[first] as number) >= TIE;
    });
    expect(differing).toEqual([]);
    expectSameBits(sampledLogprobs(completions), await logprobsOf(policy, groupsOf(requests, completions)));
  });

  it('samples with the log-probs that it scores with over 10,240 tokens, through two of its layers', async () => {
    const shallow = await smolLm2Policy(await openSmolLm2(2), 2, { rows: 4096, lossRows: 4096 });
    const requests = requestsOf(20, 16);
    const completions = await sample(shallow, requests, 1, 32);
    const sampled = sampledLogprobs(completions);
    expect(sampled.length).toBe(10_240);
    expectSameBits(sampled, await logprobsOf(shallow, groupsOf(requests, completions)));
    await shallow.close();
  });

  it.each(fewOf([3, 1], { quick: 1, all: 1 }))(
    'samples and scores the same bits on %i threads as on 2',
    async (threads) => {
      const other = await smolLm2Policy(pretrained, threads, { rows: 256, lossRows: 256 });
      const requests = requestsOf(2, 3);
      const [ours, theirs] = [await sample(policy, requests, 1, 16), await sample(other, requests, 1, 16)];
      expect(theirs.flat().map(({ tokens }) => [...tokens])).toEqual(ours.flat().map(({ tokens }) => [...tokens]));
      expectSameBits(sampledLogprobs(theirs), sampledLogprobs(ours));
      const groups = groupsOf(requests, ours);
      expectSameBits(await logprobsOf(other, groups), await logprobsOf(policy, groups));
      await other.close();
    },
  );
});
