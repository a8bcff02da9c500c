/** Reading back once in several tokens changes nothing but the number of reads. */
import { expect, it } from 'vitest';
import { packBatch } from '../../../../src/model/batch.ts';
import { generate, generateKept } from '../../../../src/model/sampling/generation.ts';
import { bitsOf, generationSettings, NO_UPDATE, openPolicy, randomGroups } from '../../../../test/support/policies.ts';
import { webgpuBackend } from '../../backend.ts';
import { openAdapter } from '../support/adapters.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const TOKENS = 10;
const REQUESTS = randomGroups([3, 2], { seed: 4 }).map(({ prompt, completions }, group) => ({
  prompt,
  rolloutNumbers: completions.map((_, i) => 10 * group + i),
}));

/** Samples, then takes the gradient of the kept rows, twice: the first batch's forward pass is computed again. */
async function rolledOut(stepsPerRead: number, endToken: number | undefined) {
  const backend = await webgpuBackend(await openAdapter(REQUIRED_ADAPTERS[0]), { stepsPerRead });
  const policy = await openPolicy(backend, { numLayers: 1 }, { rows: 100, lossRows: 100, kvRows: 100, keptRows: 90 });
  try {
    const end = endToken === undefined ? { fixedCompletionTokens: TOKENS } : { stopIds: [endToken] };
    const settings = generationSettings({ ...end, maxCompletionTokens: TOKENS });
    const plain = await generate(policy, REQUESTS, settings);
    for (let round = 0; round < 2; round++) {
      const { completions, places } = await generateKept(policy, REQUESTS, settings);
      expect(completions).toEqual(plain);
      const groups = REQUESTS.map(({ prompt }, i) => ({ prompt, completions: completions[i].map((c) => c.tokens) }));
      await policy.keep(groups, places ?? []);
      const batch = packBatch(groups);
      const rows = {
        coefficients: new Float32Array(batch.lossRowCount).fill(1 / batch.lossRowCount),
        entropyCoefficients: new Float32Array(batch.lossRowCount),
        advantages: Float32Array.from(batch.completionOf, (completion) => [1, -0.5, 2, 0.25, -1][completion]),
      };
      const objective = { clipEpsilonLow: 0.2, clipEpsilonHigh: 0.2, clipDelta: null, klCoef: 0 };
      await policy.accumulate(batch, 1, { oldLogprobs: 'current', refLogprobs: undefined, ...rows }, objective);
      await policy.optimize(NO_UPDATE);
    }
    return { completions: plain.flat(), gradients: bitsOf(await policy.readVector('gradients')) };
  } finally {
    await policy.close();
  }
}

it('samples the same completions and keeps the same rows, also where some end between two reads', async () => {
  const whole = await rolledOut(4, undefined);
  const endToken = whole.completions[0].tokens[5]; // the second of four steps
  const [often, seldom] = [await rolledOut(1, endToken), await rolledOut(4, endToken)];
  expect(seldom.completions).toEqual(often.completions);
  expect(seldom.gradients).toEqual(often.gradients);
  const lengths = seldom.completions.map(({ tokens }) => tokens.length);
  expect(lengths.some((length) => length < TOKENS && length % 4 !== 0)).toBe(true);
});
