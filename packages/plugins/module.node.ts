/**
 * Files of the user's own that a config names: found, hashed, loaded.
 *
 * TypeScript is loaded through jiti, since Node 20 cannot import it. `rlvr-train` and its entry points mean this very
 * package, wherever the file lies. What is wrong with a file is a PluginError whose message is `rule; remedy`: the
 * caller knows the line of the config that names it.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { RlvrError } from '../../src/errors.ts';
import { closestName } from '../../src/options/nearest_name.ts';
import type { ModuleReference } from '../../src/run/opened_config.ts';
import { findOldSpellings } from '../zoo/options/find_old_spellings.ts';
import { refusal } from '../zoo/rewards/sandbox/sandbox_thread.ts';
import { importedFiles } from './imported_files.node.ts';

/** @param folder  what a relative name starts from */
export function moduleReference(name: string, exported: unknown, folder: string): ModuleReference {
  const path = resolve(folder, name);
  if (exported !== undefined && typeof exported !== 'string') {
    throw refusal('export must be the name of one of its exports; write it as a text');
  }
  if (name.includes('\0')) throw refusal('its name holds a NUL character, which no file name may; write it again');
  return { path, shown: shownPath(path), export: exported };
}

/** What is meant, as messages call it: `its default export`, `its export brief`. */
export function calledExport({ export: name }: ModuleReference): string {
  return name === undefined ? 'its default export' : `its export ${name}`;
}

/** `a task`, `a number`, `a promise`, `undefined`: what a value is, for a person who did not mean to give it. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (Array.isArray(value)) return 'a list';
  if ('score' in value && typeof value.score === 'function') return 'a reward';
  if ('verify' in value && typeof value.verify === 'function') return 'a task';
  if (value instanceof Promise) return 'a promise';
  return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no keys'}`;
}

function shownPath(path: string): string {
  const fromHere = relative('', path);
  return fromHere.startsWith('..') ? path : fromHere.replaceAll('\\', '/');
}

/** SHA-256 of a file that is about to be loaded, or imported by one. @throws PluginError where it cannot be read */
export async function hashModule({ path }: Pick<ModuleReference, 'path'>): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'; // node:fs rejects with nothing else
    if (code === 'ENOENT' || code === 'ENOTDIR') throw refusal(`no such file (${path}); ${await nearestFile(path)}`);
    if (code === 'EISDIR') throw refusal('a directory, not a file; give a file in it');
    throw refusal(`cannot be read (${code}); check its permissions`);
  }
}

async function nearestFile(path: string): Promise<string> {
  const siblings = await readdir(dirname(path)).catch(() => []); // no folder, no neighbours
  const alike = siblings.filter((name) => /\.m?[jt]s$/.test(name));
  if (alike.length > 0) return `the nearest there is ${closestName(basename(path), alike)}`;
  return 'paths are relative to the config file';
}

const EXTENSION = extname(fileURLToPath(import.meta.url)); // .js in dist, .ts in the sources
const ownFile = (path: string): string => fileURLToPath(new URL(`../${path}${EXTENSION}`, import.meta.url));

const PACKAGE = {
  'rlvr-train': ownFile('rlvr-train/index'),
  'rlvr-train/rewards': ownFile('rlvr-train/rewards'),
  'rlvr-train/methods': ownFile('zoo/methods/index'),
  'rlvr-train/tasks': ownFile('rlvr-train/tasks'),
  'rlvr-train/node': ownFile('rlvr-train/node'),
};

/** A file and those that it imports, each with its text; empty where it cannot be read, as the loader says. */
async function textsOf(path: string): Promise<(readonly [file: string, text: string])[]> {
  const files = [path, ...(await importedFiles(path))];
  return Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8').catch(() => '')] as const));
}

/** Is gone when the file runs. */
const TYPE_IMPORT = /^import type [^;'"]*['"][^'"\n]*['"];?/gm;

/**
 * The entry points of this package that a file, or what it imports, names: as they are loaded here already. Left to the
 * loader, each file would load them again, and from the sources transform them, too.
 */
async function ownModules(path: string): Promise<Record<string, unknown>> {
  const texts = (await textsOf(path)).map(([, text]) => text.replace(TYPE_IMPORT, ''));
  const isNamed = (name: string): boolean =>
    texts.some((text) => text.includes(`'${name}'`) || text.includes(`"${name}"`));
  const named = Object.entries(PACKAGE).filter(([name]) => isNamed(name));
  const modules: Record<string, unknown> = {};
  // One after the other: a loader of tests gives a module that a second import meets half evaluated as it is.
  for (const [name, file] of named) {
    const exported: object = await import(pathToFileURL(file).href);
    modules[name] = { ...exported, __esModule: true }; // `import * as` takes it as it is
  }
  return modules;
}

/** A note for each file, of the one at `path` and those that it imports, that spells options as version 0.1 did. */
export async function oldSpellingNotes(path: string): Promise<readonly string[]> {
  return (await textsOf(path)).flatMap(([file, text]) => {
    const remedies = findOldSpellings(text).join(', ');
    if (remedies === '') return [];
    return [`${shownPath(file)} spells options the old way, which the next version no longer takes: write ${remedies}`];
  });
}

/** The export that is meant. Runs the file. @throws PluginError where it cannot be loaded, or has no such export */
export async function importExport(reference: ModuleReference): Promise<unknown> {
  const { createJiti } = await import('jiti'); // not before: a config without such files does without it
  // Nothing is left behind on the disk, and a file that was changed is read again.
  const jiti = createJiti(reference.path, {
    alias: PACKAGE, // of a name that reading does not find
    virtualModules: await ownModules(reference.path),
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
  });
  const module = await jiti
    .import<Readonly<Record<string, unknown>>>(reference.path)
    .catch((error: unknown) => Promise.reject(refusal(loadRule(error, reference.path))));
  const names = Object.keys(module).filter((name) => name !== '__esModule');
  if (reference.export === undefined) {
    if ('default' in module) return module.default;
    if (typeof module.score === 'function' || typeof module.verify === 'function') return module; // the file itself is it
    throw refusal(
      `has no default export; ${names.length === 0 ? 'add one' : `add one, or name one of ${names.join(', ')} by export`}`,
    );
  }
  if (Object.hasOwn(module, reference.export)) return module[reference.export];
  const remedy =
    names.length === 0
      ? 'it exports nothing'
      : `the nearest of ${names.join(', ')} is ${closestName(reference.export, names)}`;
  throw refusal(`has no export ${JSON.stringify(reference.export)}; ${remedy}`);
}

function loadRule(error: unknown, path: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const missing = /^Cannot find (?:module|package) '([^']+)'/.exec(message)?.[1];
  if (missing !== undefined)
    return `imports ${JSON.stringify(missing)}, which is not there; install it, or correct the import`;
  const [, parser, line] = /^ParseError: (.*?)\s*\n .*:(\d+):\d+$/s.exec(message) ?? [];
  if (parser !== undefined) return `line ${line} is not TypeScript (${parser.trim()}); correct it`;
  return `fails when it is loaded: ${describeThrown(error, path)}; correct it`;
}

/** `TypeError: x is not a function (line 7)`: what user code threw, and where in its file. */
export function describeThrown(error: unknown, path: string): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : inspect(error, { depth: 0 });
  const name = RlvrError.is(error) ? '' : `${error.name}: `; // ours is made for people
  const [first] = String(error.message).split('\n', 1);
  const stack = String(error.stack);
  const line = [path, pathToFileURL(path).href].map((place) => lineIn(stack, `${place}:`)).find(Boolean);
  return `${name}${first}${line === undefined ? '' : ` (line ${line})`}`;
}

/** The number after the first `place` of a stack. */
function lineIn(stack: string, place: string): string | undefined {
  const at = stack.indexOf(place);
  return at < 0 ? undefined : /^\d+/.exec(stack.slice(at + place.length))?.[0];
}

/** Where a file lies as seen from a folder, with `/` on every system: what config.yaml of a run says. */
export function pathFrom(folder: string, path: string): string {
  const way = relative(folder, path).replaceAll('\\', '/');
  return way.startsWith('.') || isAbsolute(way) ? way : `./${way}`;
}
