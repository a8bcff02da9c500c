// What is bundled as the engine of a page: by the build, and by the test that compares its licences with it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { smallKernels } from './small_kernels.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/**
 * What a package imports where it finds itself in Node, which a browser never does; and engines that no page has:
 * SQLite with 1.5 MB, re2js with 0.3 MB, and a package that ships without the text of its licence.
 */
const LEFT_OUT = {
  module: 'export const createRequire = undefined;',
  '@sqlite.org/sqlite-wasm': "throw new Error('not in the page');",
  re2js: "throw new Error('not in the page');",
  '@cfworker/json-schema': "throw new Error('not in the page');",
};
const leftOut = {
  name: 'left-out',
  resolveId: (id) =>
    Object.hasOwn(LEFT_OUT, id.replace(/^node:/, '')) ? `\0left-out-${id.replace(/^node:/, '')}` : null,
  load: (id) => LEFT_OUT[/^\0left-out-(.+)$/.exec(id)?.[1]] ?? null,
};

/** Options of rolldown. */
export const ENGINE = {
  input: `${root}packages/web/engine_worker.ts`,
  platform: 'browser',
  // The group of `build_web.mjs` could not be as small under `strict`. Nothing may import the entry all the same, which is seen to at
  // its end: a bundler that renames a worker would start it twice.
  preserveEntrySignatures: 'allow-extension',
  plugins: [smallKernels, leftOut],
  // Its list of all kinds opens what the page does not use, Brotli's dictionary among it.
  treeshake: { moduleSideEffects: [{ test: /[\\/]hyparquet-compressors[\\/]/, sideEffects: false }] },
  transform: { define: { PACKAGE_VERSION: JSON.stringify(version) } },
};
