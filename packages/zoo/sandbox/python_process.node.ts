/** A process of Python and the line to it: what it says, what it prints, how it ends, and the end of all that it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Json } from '../../../src/options/json.ts';

/**
 * How a program in Python failed: it is none, raised, took too long, took too much memory, printed too much, gave a value that
 * is not compared, or failed a test. `tests`: the tests cannot be tried in this way, whatever the program is.
 */
export type PythonFailure = 'syntax' | 'error' | 'time' | 'memory' | 'output' | 'value' | 'assert' | 'tests';

/** A failure, and in words what it was. */
export interface PythonFailed {
  readonly ok: false;
  readonly failure: PythonFailure;
  readonly reason: string;
}

/** What a program in Python may use. */
export interface PythonLimits {
  /** By the clock; default 5. */
  readonly seconds?: number;
  /** Bytes of its whole memory; default 512 MiB. */
  readonly memoryBytes?: number;
}

/** How processes are started here, and whether each is in namespaces of its own. */
export interface PythonCommand {
  readonly command: readonly string[];
  readonly isApart: boolean;
}

/** Characters of the longest output. */
const MOST_OUTPUT = 10_000;
/** Characters of a line, and of all that goes to the output for errors. */
const MOST_SAID = 1_000_000;
/** Characters of the end of an error that are kept. */
const MOST_ERROR = 4000;
/** The file descriptor of the line. */
const LINE = 3;

export class PythonProcess {
  output = '';
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #timer: NodeJS.Timeout;
  /** Lines that were not asked for yet, then what was said after the last of them. */
  readonly #lines: string[] = [];
  #begun = '';
  #wake: () => void = () => undefined;
  #error = '';
  #errorLength = 0;
  #stopped: PythonFailure | undefined;
  #status: number | null | undefined;

  /**
   * @param runner  what it runs, in Python
   * @param input   what that reads
   */
  static async start(
    { command, isApart }: PythonCommand,
    runner: string,
    { seconds, memoryBytes }: Required<PythonLimits>,
    input: string,
  ): Promise<PythonProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'rlvr-python-'));
    const [executable = 'python3', ...before] = command;
    const limits = [`${seconds}`, `${memoryBytes}`, isApart ? 'apart' : 'beside'];
    const child = spawn(executable, [...before, '-I', '-S', '-B', '-c', runner, ...limits], {
      cwd: folder,
      env: {},
      detached: true, // a group of its own, which ends as a whole
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    return new PythonProcess(child, folder, seconds, input);
  }

  private constructor(child: ChildProcess, folder: string, seconds: number, input: string) {
    this.#child = child;
    this.#folder = folder;
    this.#timer = setTimeout(() => this.#stop('time'), 1000 * seconds);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
      if (this.output.length > MOST_OUTPUT) this.#stop('output');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#error = (this.#error + text).slice(-MOST_ERROR);
      this.#errorLength += text.length;
      if (this.#errorLength > MOST_SAID) this.#stop('output');
    });
    for (const stream of [child.stdin, this.#line]) stream?.on('error', () => undefined); // it ended without reading all
    this.#line.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    child.stdin?.end(input);
    const end = (status: number | null): void => {
      clearTimeout(this.#timer);
      this.#status = status;
      this.#wake();
    };
    child.on('error', () => end(null)).on('close', end);
  }

  get #line(): Duplex {
    return this.#child.stdio[LINE] as unknown as Duplex; // a socket, which goes both ways
  }

  #take(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.#begun += first;
    for (const next of others) {
      this.#lines.push(this.#begun);
      this.#begun = next;
    }
    if (this.#begun.length > MOST_SAID) this.#stop('output');
    this.#wake();
  }

  #stop(failure: PythonFailure): void {
    this.#stopped ??= failure;
    this.#kill();
  }

  #kill(): void {
    const { pid, exitCode, signalCode, stdio } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // it has ended already
      }
    }
    for (const stream of stdio) stream?.destroy(); // what left the group may hold the other ends
  }

  send(line: string): void {
    this.#line.write(`${line}\n`);
  }

  /** The next line that it says; undefined once it has ended. */
  async receive(): Promise<string | undefined> {
    while (this.#lines.length === 0 && this.#status === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#stopped === undefined ? this.#lines.shift() : undefined;
  }

  /** How it failed; undefined where it ended well. Of one that has ended. */
  get failure(): PythonFailed | undefined {
    if (this.#stopped === undefined && this.#status === 0) return undefined;
    const reason = this.#error.trim().split('\n').at(-1) ?? '';
    return { ok: false, failure: this.#stopped ?? failureOf(reason), reason };
  }

  /** Ends it, with all that it started. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** What a message is, by the name of its error. */
export function failureOf(reason: string): PythonFailure {
  if (/^(?:Syntax|Indentation|Tab)Error\b/.test(reason)) return 'syntax';
  return /^MemoryError\b/.test(reason) ? 'memory' : 'error';
}

/** A line as a value; undefined for one that is none, as a program may write. */
export function lineValue(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}
