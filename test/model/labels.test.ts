/** Labelled tokens: a given one is read by those behind it, and teaches nothing. */
import { expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { TokenGroup } from '../../src/model/batch.ts';
import { packBatch } from '../../src/model/batch.ts';
import { TOKEN } from '../../src/token_kinds.ts';
import { expectSameBits } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { NO_UPDATE, openPolicy, randomGroups } from '../support/policies.ts';

/** Every fourth token given, and the last two of each second completion. */
function labelsOf({ completions }: TokenGroup): Uint8Array[] {
  return completions.map(({ length }, i) =>
    Uint8Array.from({ length }, (_, t) => {
      const isGiven = (t + i) % 4 === 1 || (i % 2 === 1 && t >= length - 2);
      return isGiven ? TOKEN.given : t % 3 === 0 ? TOKEN.reference : TOKEN.sampled;
    }),
  );
}

const plain = randomGroups([4, 1, 6], { seed: 12, longest: 20 });
const labelled = plain.map((group): TokenGroup => ({ ...group, labels: labelsOf(group) }));

it('a batch with given tokens has the scores and gradients of one where their rows have no derivative, to the bit', async () => {
  const policy = await openPolicy(await wasmBackend({ threads: 2 }), { attentionBias: true }, {});
  const [whole, part] = [packBatch(plain), packBatch(labelled)];
  expect(part.lossRowCount).toBeLessThan(whole.lossRowCount);
  expect(part.rowCount).toBeLessThan(whole.rowCount);
  const rowOf = new Map(Array.from(part.completionOf, (of, row) => [`${of}/${part.tokenOf[row]}`, row]));
  const places = Array.from(whole.completionOf, (of, row) => rowOf.get(`${of}/${whole.tokenOf[row]}`));
  const derivatives = [1, 2].map((seed) => Float32Array.from(normals([part.lossRowCount], seed)));
  const spread = (values: Float32Array): Float32Array =>
    Float32Array.from(places, (row) => (row === undefined ? 0 : values[row]));

  const gradientsOf = async (batch: typeof whole, [dLogprobs, dEntropies]: Float32Array[]) => {
    const scores = await policy.forward(batch, 0.8);
    await policy.backward({ logprobs: dLogprobs, entropies: dEntropies });
    const gradients = await policy.readVector('gradients');
    await policy.optimize(NO_UPDATE);
    return { scores, gradients };
  };
  const all = await gradientsOf(whole, derivatives.map(spread));
  const some = await gradientsOf(part, derivatives);
  expect(some.gradients.some((value) => value !== 0)).toBe(true);
  expectSameBits(some.gradients, all.gradients);
  places.forEach((row, at) => {
    if (row !== undefined) expect(some.scores.logprobs[row]).toBe(all.scores.logprobs[at]);
  });
  await policy.close();
});
