// Bundles the engine's worker of the browser (src/web/engine_worker.ts), so that a page without a bundler can start it:
// import maps do not reach into workers. Beside it lie the tasks, which a run loads by name. Runs after tsc, and replaces
// what that made of the entry. The licences of what is bundled lie beside it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { smallKernels } from './small_kernels.mjs';
import { NOTICES_FILE, noticesOf, packageFolders } from './third_party_notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const bundle = await rolldown({
  input: `${root}src/web/engine_worker.ts`,
  platform: 'browser',
  // The entry imports the engine, and nothing imports the entry: a bundler that renames a worker would start it twice.
  preserveEntrySignatures: 'strict',
  plugins: [smallKernels],
  transform: { define: { PACKAGE_VERSION: JSON.stringify(version) } },
});
rmSync(`${root}dist/web/engine_worker.js`, { force: true });
rmSync(`${root}dist/web/engine`, { force: true, recursive: true });
const { output } = await bundle.write({
  dir: `${root}dist/web`,
  entryFileNames: 'engine_worker.js',
  chunkFileNames: 'engine/[name].js',
  format: 'esm',
  minify: true,
});
await bundle.close();
const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
writeFileSync(`${root}dist/web/${NOTICES_FILE}`, noticesOf(packageFolders(modules)));
for (const { fileName, imports = [], dynamicImports = [] } of output) {
  const outside = [...imports, ...dynamicImports].filter(
    (name) => name === 'engine_worker.js' || !/^engine[/]/.test(name),
  );
  if (outside.length > 0) throw new Error(`${fileName} of the worker imports ${outside.join(', ')}`);
}
