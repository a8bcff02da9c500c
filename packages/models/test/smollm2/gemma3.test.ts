/**
 * A real model in Q4_K_M: Gemma 3 270M says what llama.cpp makes the same file's values say.
 *
 * Without the model (npx --no-install rlvr-train fetch gemma3-270m) these tests are skipped.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { PYPI_MODELS } from '../../hub/pypi_models.node.ts';
import { findModel } from '../../run/model/find_model.node.ts';
import { openPretrained } from '../../run/model/open_pretrained.ts';
import { scoreCompletions, scoreDifference } from '../../run/model/rescore.ts';
import { SMOLLM2 } from '../support/smollm2.ts';

interface Golden {
  readonly texts: readonly {
    readonly text: string;
    readonly ids: readonly number[];
    readonly likeliest: readonly number[];
    readonly logprobs: readonly number[];
  }[];
}

const { texts } = JSON.parse(
  readFileSync(new URL('../../../../test/golden/gemma3_270m.json', import.meta.url), 'utf8'),
) as Golden;

const GEMMA3 = join(dirname(SMOLLM2), PYPI_MODELS['gemma3-270m'].file);

describe.skipIf(!existsSync(GEMMA3))('Gemma 3 270M', () => {
  it('has the tokens of llama.cpp, its likeliest ones, and its log-probs', async () => {
    const pretrained = await openPretrained(findModel(GEMMA3));
    const { codec } = pretrained;
    expect(texts.map(({ text }) => [...codec.encode(text)])).toEqual(texts.map(({ ids }) => ids.slice(1)));
    const own = await scoreCompletions(
      await wasmBackend({ threads: 2 }),
      pretrained,
      texts.map(({ ids }) => ({ prefix: Int32Array.of(ids[0]), tokens: Int32Array.from(ids.slice(1)) })),
    );
    const theirs = {
      logprobs: Float32Array.from(texts.flatMap(({ logprobs }) => logprobs)),
      likeliest: Int32Array.from(texts.flatMap(({ likeliest }) => likeliest)),
    };
    const { tokens, sameLikeliest, mean, largest } = scoreDifference(own, theirs, texts.length);
    console.info(`${tokens} places: ${sameLikeliest} the same likeliest token, mean ${mean}, largest ${largest}`);
    expect(tokens).toBeGreaterThanOrEqual(200);
    expect(sameLikeliest).toBeGreaterThanOrEqual(0.98);
    expect(mean).toBeLessThan(1e-3);
  });
});
