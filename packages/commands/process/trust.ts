/**
 * Whether the files that a config names may run: a config may come from anyone, and name any file of the disk.
 *
 *   unasked   a file in the config's folder, or typed after --set: what one works on; what has run on this machine, or
 *             was agreed to, as it is
 *   --trust   the file, or a folder around it
 *   asked     any other, at a terminal; else refused. A run directory may come from anyone too, with code in it and that
 *             code's hash in its records: of a run only what has run here before goes unasked
 *
 * The same is asked of what a config sends to a server, with or without a variable of the environment, and of rows that lie
 * outside of its folder; but a dry run asks and remembers nothing of these.
 */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { printError } from '../../../src/cli/display/output.ts';
import type { LoadedConfig } from '../../../src/config/load.ts';
import { printable, shellQuoted } from '../../../src/format.ts';
import { type Fingerprint, readFingerprint, refuseChangedModules } from '../../../src/run/fingerprint/fingerprint.ts';
import type { Ask, FoundFile } from '../../../src/run/opened_config.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { type AgreedCode, agreedCode, hashOfAsk, hashOfCode, rememberAgreed } from './agreed_code.ts';

export interface TrustOptions {
  /** The config's file. */
  readonly file: string;
  readonly problems: LoadedConfig['problems'];
  /** The files and folders of `--trust`. */
  readonly trust?: readonly string[];
  /** A run that is resumed, evaluated or sampled. */
  readonly run?: { readonly directory: string; readonly goal: 'resume' | 'use'; readonly force?: boolean };
  /** Nothing is written but what is answered of code; what is no code is not even asked. */
  readonly isDry?: boolean;
  /** Asks a question; undefined: nobody is there to answer. Default: on the terminal. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
}

/**
 * For `openPlugins`: looks at the files before any is loaded.
 *
 * @throws CheckpointError where a file of a run that is resumed has changed; ConfigError where one may not run
 */
export function approval(options: TrustOptions): (files: readonly FoundFile[], asks?: readonly Ask[]) => Promise<void> {
  const ask = 'ask' in options ? options.ask : terminalQuestion();
  return async (files, asks = []) => {
    if (files.length + asks.length === 0) return;
    const recorded = (await recordedModules(options)) ?? {};
    const { run, problems } = options;
    if (run?.goal === 'resume' && !run.force) refuseChangedModules(recorded, currentModules(files));
    const agreed = await agreedCode();
    const doubtful = files.flatMap((file) => {
      const why = agreed.has(hashOfCode(file)) ? undefined : doubtAbout(file, agreed, recorded, options);
      return why === undefined ? [] : [{ file, why }];
    });
    if (doubtful.length > 0 && !(await ask?.(questionAbout(doubtful)))) {
      for (const { file, why } of doubtful) {
        const flag = `--trust ${shellQuoted(file.reference.shown)}`;
        problems.add(file.place, file.name, `${why}, and would run with your rights; look at it, then add ${flag}`);
      }
      problems.throwIfAny();
    }
    const unknown = asks.filter((asked) => isUnknown(asked, agreed, options));
    if (unknown.length > 0 && (options.isDry || !(await ask?.(questionAboutAsks(unknown))))) {
      for (const { place, name, does } of unknown)
        problems.add(place, name, `${does}; if that is meant, add --trust ${shellQuoted(name)}`);
      problems.throwIfAny();
    }
    if (doubtful.length > 0 || !options.isDry) await rememberAgreed(files, options.isDry ? [] : asks);
  };
}

/** Whether something besides code is asked that the user has neither typed nor agreed to. */
function isUnknown(asked: Ask, agreed: AgreedCode, { file, trust = [], run }: TrustOptions): boolean {
  const { name, path, isTyped } = asked;
  if (isTyped || agreed.has(hashOfAsk(asked)) || trust.includes(name)) return false;
  if (path === undefined) return true;
  if (!existsSync(path) || trust.some((place) => contains(resolve(place), path))) return false; // what is not there is said elsewhere
  return run !== undefined || !contains(dirname(resolve(file)), path);
}

function questionAboutAsks(asks: readonly Ask[]): string {
  const lines = asks.map(({ name, does }) => `  ${printable(name)}  ${does}`);
  return `What this config asks of this machine:\n${lines.join('\n')}\nAgree? It is not asked again. [y/N] `;
}

interface Doubt {
  readonly file: FoundFile;
  readonly why: string;
}

/** Why a file may be none that the user knows; undefined where it is. */
function doubtAbout(
  file: FoundFile,
  agreed: AgreedCode,
  recorded: Modules,
  { file: config, trust = [], run }: TrustOptions,
): string | undefined {
  const { path } = file.reference;
  if (file.isTyped || trust.some((place) => contains(resolve(place), path))) return undefined;
  const folder = dirname(resolve(config));
  if (run === undefined && !isRunDirectory(folder)) {
    return contains(folder, path) ? undefined : "lies outside of the config's folder";
  }
  const isRecorded = file.hashes.every(([name, sha256]) => recorded[name] === sha256);
  if (run?.goal === 'use' && !isRecorded) return 'has changed since this run was trained';
  // A user who forces a resume knows that something of their own has changed.
  const isCorrected = run?.force === true && [...agreed.values()].includes(path);
  if (isCorrected && isProject(process.cwd()) && contains(process.cwd(), path)) return undefined;
  return 'is the code of a run, and has not run on this machine';
}

/** A home directory or a root holds what others put there, too. */
function isProject(folder: string): boolean {
  return folder !== homedir() && dirname(folder) !== folder;
}

/** Whether a path is that of a folder or lies in it, wherever links lead. */
function contains(folder: string, path: string): boolean {
  if (!existsSync(folder)) return false;
  const way = relative(realpathSync(folder), realpathSync(path));
  return !way.startsWith('..') && !isAbsolute(way);
}

function isRunDirectory(folder: string): boolean {
  return existsSync(join(folder, 'fingerprint.json'));
}

type Modules = NonNullable<Fingerprint['modules']>;

/** Hashes that the run directory records, or the folder of the config where that is one. */
async function recordedModules({ file, run }: TrustOptions): Promise<Modules | undefined> {
  const directory = run?.directory ?? dirname(file);
  if (!isRunDirectory(directory)) return undefined;
  return (await readFingerprint(fileStore(directory)))?.modules;
}

function currentModules(files: readonly FoundFile[]): Modules {
  return Object.fromEntries(files.flatMap(({ role, hashes }) => (role === 'training' ? hashes : [])));
}

function questionAbout(doubtful: readonly Doubt[]): string {
  const lines = doubtful.map(({ file, why }) => `  ${printable(file.reference.path)}  ${why}`);
  return `Code that would run with your rights:\n${lines.join('\n')}\nRun it? It is not asked again until it changes. [y/N] `;
}

/** Undefined where standard input or standard error is no terminal. */
function terminalQuestion(): TrustOptions['ask'] {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (question) => {
    const [last = '', ...before] = question.split('\n').reverse();
    printError(before.reverse().join('\n'));
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return /^y(es)?$/i.test((await reader.question(last)).trim());
    } finally {
      reader.close();
    }
  };
}
