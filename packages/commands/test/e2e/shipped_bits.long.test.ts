/**
 * The weights of the shipped configs after 20 steps of each stage, as literals, on one, two and three threads: wasm
 * without FMA, whose bits are those of every processor. CI takes two of them on one thread, and one on three.
 *
 * A hash changes only where a change means to change what is computed, and the commit that does it says why.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { finishSmallRun } from '../../../../test/support/small_runs.ts';

interface Shipped {
  /** Of each stage. */
  readonly stages: readonly (readonly string[])[];
  readonly sha256: string;
}

const SHORT = ['max_steps=20', 'warmup_steps=10', 'eval_strategy=no'];
const REINFORCED = [...SHORT, 'num_generations_eval=1'];

/** 20 supervised steps solve nothing: the second stages get a reward that groups differ in. */
const CONFIGS: Readonly<Record<string, Shipped>> = {
  'sort-digits': { stages: [REINFORCED], sha256: '8325613b4947459acca2d930a8c83dd90cbc1a7ef8ee6f5f62875fcb504da05f' },
  'reverse-text': {
    stages: [SHORT, [...REINFORCED, 'reward_funcs=[lcs]']],
    sha256: '7d73a519deb435d285d73bf9f45e79db981ddbffcbd021cdc339c6cb44213b82',
  },
  countdown: {
    stages: [SHORT, [...REINFORCED, 'reward_funcs=[accuracy, {name: soft_overlong, max_tokens: 32, cache: 32}]']],
    sha256: 'e91361fddab0ab5990fd02977bc033667df53dc0b7a918438e66446aa16c78e0',
  },
};

const NAMES = Object.keys(CONFIGS);
const PINNED = Object.fromEntries(NAMES.map((name) => [name, CONFIGS[name].sha256]));

async function hashOf(name: string, threads: number): Promise<[string, string]> {
  const yaml = readFileSync(new URL(`../../../../configs/${name}.yaml`, import.meta.url), 'utf8');
  const overrides = CONFIGS[name].stages.flatMap((keys, index) => keys.map((key) => `stages.${index}.${key}`));
  const { sha256 } = await finishSmallRun(await wasmBackend({ threads, fma: false }), { yaml, overrides });
  return [name, sha256];
}

describe('the weights of the shipped configs', () => {
  it('are those that were pinned, on one thread', async () => {
    // Side by side: each keeps one core busy.
    const names = fewOf(NAMES, { quick: 1, all: 2 });
    const hashes = await Promise.all(names.map((name) => hashOf(name, 1)));
    expect(hashes).toEqual(names.map((name) => [name, PINNED[name]]));
  }, 240_000);

  const shared = [[NAMES[0], 3], ...NAMES.map((name) => [name, 2])] as [string, number][];
  it.each(fewOf(shared, { quick: 1, all: 1 }))(
    'are those that were pinned: %s on %i threads',
    async (name, threads) => expect(await hashOf(name, threads)).toEqual([name, PINNED[name]]),
    240_000,
  );
});
