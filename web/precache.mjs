// For Vite: writes the service worker of the built page, with the list of all its files and a hash of what is in them.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { minifySync } from 'rolldown/experimental';

const NAME = 'service_worker.js';
/** Pictures for others: link previews. */
const LEFT_OUT = new Set([NAME, 'preview.png', 'THIRD_PARTY_NOTICES.txt']);
/** The engine of a sandbox, which few runs need: fetched by the run that does. */
const SANDBOX = /\/quickjs\.(js|wasm)$/;

/** @param source  the service worker, without the list */
export function precache(source) {
  let folder;
  return {
    name: 'precache',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = build.write ? join(root, build.outDir) : undefined;
    },
    closeBundle() {
      if (folder === undefined) return; // a build that writes nothing
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const paths = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
      const files = paths
        .map((path) => path.split(sep).join('/'))
        .filter((path) => !LEFT_OUT.has(path) && !SANDBOX.test(path));
      const hash = createHash('sha256');
      for (const file of files.sort()) hash.update(`${file}\0`).update(readFileSync(join(folder, file)));
      const list = `self.FILES_OF_THE_BUILD = ${JSON.stringify(byFolder(files))};\n`;
      const version = `self.VERSION_OF_THE_BUILD = '${hash.digest('hex').slice(0, 16)}';\n`;
      const { code } = minifySync(NAME, readFileSync(source, 'utf8'), { module: false });
      writeFileSync(join(folder, NAME), list + version + code);
    },
  };
}

/** Names between blanks by their folder, whose name some hundred of them would repeat. */
function byFolder(files) {
  const names = {};
  for (const file of files) {
    const end = file.lastIndexOf('/') + 1;
    const folder = file.slice(0, end);
    names[folder] = [...(names[folder] ?? []), file.slice(end)];
  }
  return Object.fromEntries(Object.entries(names).map(([folder, own]) => [folder, own.join(' ')]));
}
