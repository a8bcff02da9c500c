/** TensorFlow.js is optional: who imports it. What is said where it is missing: test/e2e/package.long.test.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));

it('only src/kernels/tfjs and packages/tfjs import a package of TensorFlow.js, and no other module imports those', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const isOurs = (path: string): boolean => /^(kernels\/)?tfjs\//.test(path);
  const importers = files.filter((path) => readFileSync(SOURCE + path, 'utf8').includes("'@tensorflow/"));
  expect(importers.filter((path) => !isOurs(path))).toEqual([]);
  expect(importers.length).toBeGreaterThan(10);
  const reaching = files.filter(
    (path) => !isOurs(path) && /from '[^']*\/tfjs\/(?!open\.node\.ts')/.test(readFileSync(SOURCE + path, 'utf8')),
  );
  expect(reaching).toEqual([]);
});

it('open.node.ts, which the command line imports, loads the packages on demand only', () => {
  const text = readFileSync(`${SOURCE}kernels/tfjs/open.node.ts`, 'utf8');
  const imported = [...text.matchAll(/^import (type )?.* from '([^']+)';$/gm)];
  const values = imported.filter(([, type]) => type === undefined).map(([, , target]) => target);
  expect(values).toEqual(['node:module', 'node:util', '../../errors.ts', '../webgpu/webgpu.node.ts']);
});

it('no kernel calls tf.round: of int32 it gives zeros on tfjs-node with a TensorFlow later than its own', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  expect(files.filter((path) => /\btf\.round\(/.test(readFileSync(SOURCE + path, 'utf8')))).toEqual([]);
});
