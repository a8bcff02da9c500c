// For Vite: the built page starts the engine's worker, and reads the catalogue, as the package has them, instead of bundling
// them once more. Their files lie in a folder that is named by what is in them; in the package that folder is left out, and `rlvr-train ui` answers
// for it from dist/web (packages/commands/ui/static_files.ts).
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How the package's own page code starts the worker. */
const STARTS = 'new URL("./engine_worker.js", import.meta.url)';

/** Kernels with wide tiles, which need a switch that no browser has: Node loads them from the same folder. */
const OF_NODE = '_kernels_threadsFmaWide.js';

/** How it loads the catalogue. */
const CATALOGUE = 'parts/whole_catalogue.js';
const LOADS = `import("./${CATALOGUE}")`;

/** @param folder  dist/web */
export function packagedEngine(folder) {
  const engine = readdirSync(join(folder, 'engine'))
    .filter((name) => name !== OF_NODE)
    .map((name) => `engine/${name}`);
  const paths = ['engine_worker.js', CATALOGUE, ...engine].sort();
  const files = paths.map((path) => ({ path, source: readFileSync(join(folder, path)) }));
  const hash = createHash('sha256');
  for (const { path, source } of files) hash.update(`${path}\0`).update(source);
  const home = `engine-${hash.digest('hex').slice(0, 16)}`;
  return {
    name: 'packaged-engine',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!/[\\/]dist[\\/]web[\\/]index\.js$/.test(id)) return null;
      for (const text of [STARTS, LOADS])
        if (!code.includes(text))
          throw new Error(`${id} has no ${text}: it loads the file in another way than this reads`);
      const at = (path) => `new URL('./${home}/${path}', document.baseURI)`;
      const started = code.replace(STARTS, at('engine_worker.js'));
      return { code: started.replace(LOADS, `import(/* @vite-ignore */ ${at(CATALOGUE)}.href)`), map: null };
    },
    generateBundle() {
      for (const { path, source } of files) this.emitFile({ type: 'asset', fileName: `${home}/${path}`, source });
    },
  };
}
