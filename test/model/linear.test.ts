/** Every product of a layer goes through `model/linear.ts`. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Kernels } from '../../src/kernels/kernels.ts';
import { backwardLinear, type LinearMatrix } from '../../src/model/linear.ts';

const MODEL = new URL('../../src/model/', import.meta.url);
const slot = (offset: number, ...shape: number[]) => ({ arena: 'reals', dtype: 'real', offset, shape }) as const;

it('no other file of the model asks for a product', () => {
  const products = /\b(linear|linearInputGradient|linearWeightGradient)\(\{/;
  const sources = readdirSync(MODEL, { encoding: 'utf8', recursive: true }).filter((file) => file.endsWith('.ts'));
  const files = sources.filter((file) => products.test(readFileSync(new URL(file, MODEL), 'utf8')));
  expect(files).toEqual(['linear.ts']);
});

it('a frozen matrix has the gradient of its input, and no other', () => {
  const calls: string[] = [];
  const kernels = new Proxy({} as Kernels, { get: (_, name) => () => calls.push(String(name)) });
  const frozen: LinearMatrix = { weight: slot(0, 3, 4), bias: undefined, gradient: undefined, biasGradient: undefined };
  const args = { dOut: slot(16, 2, 3), x: slot(32, 2, 4), dX: slot(48, 2, 4), rows: { begin: 0, end: 2 } };
  backwardLinear(kernels, frozen, args);
  backwardLinear(kernels, { ...frozen, gradient: slot(64, 3, 4) }, args);
  expect(calls).toEqual(['linearInputGradient', 'linearWeightGradient', 'linearInputGradient']);
});
