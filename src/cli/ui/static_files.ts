/** The training page as the build made it: a list of files that is read once, so that no path leads out of the folder. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside `dist`, in a checkout as in the package. */
const FOLDER = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};

export interface StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export class StaticFiles {
  readonly #files: ReadonlyMap<string, string>;

  constructor(folder = FOLDER) {
    this.#files = new Map(filesOf(folder).map((file) => [relative(folder, file).split(sep).join('/'), file]));
  }

  /** False in a checkout whose page was not built. */
  get isThere(): boolean {
    return this.#files.has('index.html');
  }

  /** @param path  below the folder; '' is its page */
  async read(path: string): Promise<StaticFile | undefined> {
    const file = this.#files.get(path === '' ? 'index.html' : path);
    if (file === undefined) return undefined;
    return { type: TYPES[extname(file)] ?? 'application/octet-stream', bytes: await readFile(file) };
  }
}

function filesOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, path, name }) => join(parentPath ?? path, name));
  } catch {
    return []; // not built
  }
}
