/** TensorFlow.js is optional: who imports it. What is said where it is missing: packages/commands/test/e2e/package.long.test.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const OURS = 'packages/tfjs/';
const files = ['src', 'packages'].flatMap((folder) =>
  readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/^\w[^/]*\/test\//.test(path))
    .map((path) => ({ path: `${folder}/${path}`, text: readFileSync(`${ROOT}${folder}/${path}`, 'utf8') })),
);
const others = files.filter(({ path }) => !path.startsWith(OURS));

it('only packages/tfjs imports a package of TensorFlow.js, and other modules import nothing of it but what opens it', () => {
  const importers = files.filter(({ text }) => text.includes("'@tensorflow/"));
  expect(importers.filter((one) => others.includes(one)).map(({ path }) => path)).toEqual([]);
  expect(importers.length).toBeGreaterThan(10);
  const reaching = others.filter(({ text }) => /from '[^']*\/tfjs\/(?!kernels\/open\.node\.ts')/.test(text));
  expect(reaching.map(({ path }) => path)).toEqual([]);
});

it('open.node.ts, which the command line imports, loads the packages on demand only', () => {
  const text = readFileSync(`${ROOT}${OURS}kernels/open.node.ts`, 'utf8');
  const imported = [...text.matchAll(/^import (type )?.* from '([^']+)';$/gm)];
  const values = imported.filter(([, type]) => type === undefined).map(([, , target]) => target);
  expect(values).toEqual(['node:module', 'node:util', '../../../src/errors.ts']);
});

it('no kernel calls tf.round: of int32 it gives zeros on tfjs-node with a TensorFlow later than its own', () => {
  const kernels = files.filter(({ path }) => path.startsWith(OURS));
  expect(kernels.filter(({ text }) => /\btf\.round\(/.test(text)).map(({ path }) => path)).toEqual([]);
});
