/** The training page as the build made it, and the pages of the documentation: a list of files that is read once, so that no path leads out of the folder. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../../src/package_folder.node.ts';

/** Beside `dist`, in a checkout as in the package. */
const FOLDER = packageFile('web/dist');
/** Where the engine's worker and the catalogue lie for everyone. The page asks for them in a folder of their own, named by a hash. */
const ENGINE_FOLDER = fileURLToPath(new URL('../../web/', import.meta.url));
const ENGINE = /^engine-[0-9a-f]{16}\/(engine_worker\.js|(?:engine|parts)\/[\w-]+\.(?:js|wasm))$/;

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/plain; charset=utf-8',
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

  readonly #engine: ReadonlyMap<string, string>;

  constructor(folder = FOLDER) {
    this.#files = filesOf(folder);
    this.#engine = filesOf(ENGINE_FOLDER);
  }

  /** False in a checkout whose page was not built. */
  get isThere(): boolean {
    return this.#files.has('index.html');
  }

  /** @param path  below the folder; '' is its page */
  async read(path: string): Promise<StaticFile | undefined> {
    const inEngine = ENGINE.exec(path)?.[1];
    const file = this.#files.get(path === '' ? 'index.html' : path) ?? (inEngine && this.#engine.get(inEngine));
    if (file === undefined) return undefined;
    return { type: TYPES[extname(file)] ?? 'application/octet-stream', bytes: await readFile(file) };
  }
}

/** The pages of the documentation, as texts. Those of methods are made when one is asked for: as files they would be a tenth of the package. */
export class Documents {
  readonly #files: StaticFiles;

  constructor(folder = packageFile('docs')) {
    this.#files = new StaticFiles(folder);
  }

  /** @param path  below docs */
  async read(path: string): Promise<StaticFile | undefined> {
    const [, method] = /^reference\/methods\/([\w-]+)\.md$/.exec(path) ?? [];
    return (await this.#files.read(path)) ?? (method === undefined ? undefined : pageOfMethod(method));
  }
}

async function pageOfMethod(id: string): Promise<StaticFile | undefined> {
  const { methodPages } = await import('../../zoo/catalogue/made_pages.ts');
  const page = methodPages()(id);
  return page === undefined ? undefined : { type: TYPES['.md'], bytes: new TextEncoder().encode(page) };
}

/** By the path below the folder. */
function filesOf(folder: string): Map<string, string> {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const files = entries.map(({ parentPath, path, name }) => join(parentPath ?? path, name));
    return new Map(files.map((file) => [relative(folder, file).split(sep).join('/'), file]));
  } catch {
    return new Map(); // not built
  }
}
