// Bundles the engine's worker of the browser (src/web/engine_worker.ts) into one file, so that a page without a bundler
// can start it: import maps do not reach into workers. Runs after tsc, and replaces what that made of the entry.
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const bundle = await rolldown({
  input: `${root}src/web/engine_worker.ts`,
  platform: 'browser',
  transform: { define: { PACKAGE_VERSION: JSON.stringify(version) } },
});
rmSync(`${root}dist/web/engine_worker.js`, { force: true });
const { output } = await bundle.write({ file: `${root}dist/web/engine_worker.js`, format: 'esm', minify: true });
await bundle.close();
if (output.length !== 1) throw new Error(`the worker is ${output.length} files: something in it is loaded later`);
