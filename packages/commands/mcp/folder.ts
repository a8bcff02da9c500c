/**
 * The folder that an agent works in: its paths stay inside, and commands run there as a process each, so that what an agent
 * asks for is what a person would type.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ConfigError } from '../../../src/errors.ts';
import { controlState } from '../process/run_requests.ts';

/** Characters of what a command printed that an agent gets: the last of them. */
const MOST_CHARACTERS = 60_000;
const LOOK_MS = 100;
/** Where runs are. */
export const RUNS = 'runs';

export class AgentFolder {
  readonly #root: string;
  readonly #program: string;

  /** @param root  where the program was started @param program  the file of the command */
  constructor(root: string, program: string) {
    this.#root = realpathSync(root);
    this.#program = program;
  }

  /**
   * A path relative to the folder, of something inside it, which may not be there yet.
   *
   * @throws ConfigError where it leads out, also by a link, or reads as a flag
   */
  inside(path: string): string {
    const whole = resolve(this.#root, path);
    if (path === '' || path.startsWith('-') || !isBelow(this.#root, real(whole))) {
      const rule = `not inside of ${this.#root}, where this server was started; name a path inside of it`;
      throw new ConfigError('outside', `${path} — ${rule}.`, { path });
    }
    return relative(this.#root, whole) || '.';
  }

  has(path: string): boolean {
    return existsSync(this.at(path));
  }

  /** The directory of a run: `runs/mine`, or `mine`. @throws ConfigError where there is none */
  run(name: string): string {
    const found = [name, join(RUNS, name)].map((path) => this.inside(path)).find((path) => existsSync(this.#at(path)));
    if (found !== undefined) return found;
    throw new ConfigError('no-run', `${name} — there is no such run in ${RUNS}/; list them with kind "runs".`, {
      name,
    });
  }

  /** A run that is not there yet. @throws ConfigError where it is */
  newRun(name: string | undefined, config: string): string {
    if (name !== undefined) {
      const path = this.inside(join(RUNS, name));
      if (!existsSync(this.#at(path)) && dirname(path) === RUNS) return path;
      const rule = `${path} is there already, or no name below ${RUNS}/; choose another name, or resume it`;
      throw new ConfigError('run-exists', `name: ${name} — ${rule}.`, { name });
    }
    const stem = basename(config).replace(/\.ya?ml$/, '');
    for (let number = 1; ; number++) {
      const path = join(RUNS, number === 1 ? stem : `${stem}-${number}`);
      if (!existsSync(this.#at(path)) && !existsSync(this.#at(`${path}.log`))) return path;
    }
  }

  /** What a command prints. @throws ConfigError with what it says against it, where it fails */
  async command(words: readonly string[], signal?: AbortSignal): Promise<string> {
    const child = spawn(process.execPath, this.#words(words), {
      ...{ cwd: this.#root, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] },
      signal,
    });
    let [said, complaint] = ['', ''];
    child.stdout?.on('data', (piece) => (said = `${said}${piece}`.slice(-MOST_CHARACTERS)));
    child.stderr?.on('data', (piece) => (complaint = `${complaint}${piece}`.slice(-MOST_CHARACTERS)));
    const code = await new Promise<unknown>((done, fail) => child.once('close', done).once('error', fail));
    if (code === 0) return [said, complaint].join('').trim();
    throw new ConfigError('failed', (complaint || said).trim() || `it ended with ${code}`, { words });
  }

  /**
   * Begins a training that continues without this program; what it prints is appended to `runs/NAME.log`. Resolves once it
   * is under way, or over.
   *
   * @throws ConfigError with what it says, where it cannot begin
   */
  async train(directory: string, words: readonly string[]): Promise<void> {
    mkdirSync(dirname(this.#at(directory)), { recursive: true });
    const log = openSync(this.#at(`${directory}.log`), 'a');
    const child = spawn(process.execPath, this.#words(['train', ...words, '--output', directory, '--plain']), {
      ...{ cwd: this.#root, env: environment(), stdio: ['ignore', log, log], detached: true },
    });
    closeSync(log);
    let code: number | null | undefined;
    child.once('exit', (status) => (code = status));
    child.once('error', () => (code = 1));
    child.unref();
    while (code === undefined && !(await controlState(this.#at(directory))).isOpen) {
      await new Promise((later) => setTimeout(later, LOOK_MS));
    }
    if (code !== undefined && code !== 0) {
      throw new ConfigError('failed', this.tail(`${directory}.log`, 20) || `the training ended with ${code}`, {
        directory,
      });
    }
  }

  /** The last lines of a file; none where it is not there. */
  tail(path: string, lines: number): string {
    const file = this.#at(path);
    if (!existsSync(file)) return '';
    const all = readFileSync(file, 'utf8').trimEnd().split('\n');
    return all.slice(-lines).join('\n').slice(-MOST_CHARACTERS);
  }

  /** The whole path of one inside. */
  at(path: string): string {
    return this.#at(this.inside(path));
  }

  #at(path: string): string {
    return join(this.#root, path);
  }

  #words(words: readonly string[]): readonly string[] {
    return [...process.execArgv, this.#program, ...words];
  }
}

/** Plain texts; and no downloads, which would be written to the cache of the user. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, NO_COLOR: '1', HF_HUB_OFFLINE: '1' };
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** With links followed, as far as there is anything. */
function real(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync(path);
  return join(real(dirname(path)), basename(path));
}
