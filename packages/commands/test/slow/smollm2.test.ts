/**
 * Through all layers of a real model the sampler is the scorer, over ten thousand tokens. CI has 960 tokens of the whole
 * model, and as many as here through two of its layers. Takes some five minutes of one core; skipped where
 * rlvr-train fetch smollm2 has not fetched the model.
 */
import { expect, it } from 'vitest';
import { expectSameBits } from '../../../../test/support/compare.ts';
import { groupsOf, logprobsOf, requestsOf, sample, sampledLogprobs } from '../../../../test/support/smollm2_texts.ts';
import { openSmolLm2, SMOLLM2_IS_MISSING, smolLm2Policy } from '../../../models/test/support/smollm2.ts';

it.skipIf(SMOLLM2_IS_MISSING)('SmolLM2 samples with the log-probs that it scores with over 10,240 tokens', async () => {
  const policy = await smolLm2Policy(await openSmolLm2(), 2, {});
  const requests = requestsOf(20, 16);
  const completions = await sample(policy, requests, 1, 32);
  const sampled = sampledLogprobs(completions);
  expect(sampled.length).toBe(10_240);
  expectSameBits(sampled, await logprobsOf(policy, groupsOf(requests, completions)));
  await policy.close();
});
