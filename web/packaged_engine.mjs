// For Vite: the built page starts the engine's worker as the package has it, instead of bundling it once more. Its files
// lie in a folder that is named by what is in them; in the package that folder is left out, and `rlvr-train ui` answers
// for it from dist/web (packages/commands/ui/static_files.ts).
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How the package's own page code starts the worker. */
const STARTS = 'new URL("./engine_worker.js", import.meta.url)';

/** @param folder  dist/web */
export function packagedEngine(folder) {
  const paths = ['engine_worker.js', ...readdirSync(join(folder, 'engine')).map((name) => `engine/${name}`)].sort();
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
      if (!code.includes(STARTS)) throw new Error(`${id} starts its worker in another way than this reads`);
      return { code: code.replace(STARTS, `new URL('./${home}/engine_worker.js', document.baseURI)`), map: null };
    },
    generateBundle() {
      for (const { path, source } of files) this.emitFile({ type: 'asset', fileName: `${home}/${path}`, source });
    },
  };
}
