/** Every method, in a small stage made for it, ends with other weights than without it; a stage where it does not says so. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { plainWasm } from '../../../../test/support/small_runs.ts';
import { ablate, ablatedMethods } from '../support/method_ablation.ts';

const all = ablatedMethods();
const bare: Parameters<typeof ablate>[2] = new Map();
let backend: Backend;
beforeAll(async () => {
  backend = await plainWasm();
});

describe('a method', () => {
  const acting = all.filter(({ exempt }) => exempt === undefined);

  it.each(acting.map((one) => [one.key, one.id, one] as const))(
    '%s: %s moves the weights, or is said not to',
    async (_, id, one) => {
      const trials = await ablate(backend, one, bare);
      expect(trials.filter(({ verdict }) => verdict === 'SAME' || verdict === 'FALSE')).toEqual([]);
      expect(trials.at(-1)?.verdict, `${id} acts in none of its stages`).toBe('acts');
    },
  );

  it.each(all.filter(({ exempt }) => exempt === 'measures alone').map((one) => [one.id, one] as const))(
    '%s measures, and moves no weight',
    async (_, one) => {
      const [{ sha256, without }] = await ablate(backend, { ...one, trials: one.trials.slice(0, 1) }, bare);
      expect(sha256).toBe(without);
      expect(sha256).toMatch(/^[0-9a-f]{12}$/);
    },
  );
});
