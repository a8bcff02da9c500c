/**
 * Programs in Python, run by the Python of this machine in a process of their own: the sandbox `python`.
 *
 * A program is judged by what comes out of its process, by a side that it cannot reach: its output, the values of its function
 * as JSON, or tests in Python that run in a second process. It never sees a test, and nothing that it does to its own
 * interpreter makes one pass.
 *
 * It is limited by the clock and by what the kernel counts, so a busy machine may decide otherwise than an idle one: it is
 * for verdicts that need the language, not for a run that is to keep its bits.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ConfigError } from '../../../src/errors.ts';
import type { Json } from '../../../src/options/json.ts';
import type { SandboxEngine } from '../../../src/sandbox_engine.ts';
import {
  failureOf,
  lineValue,
  type PythonCommand,
  type PythonFailed,
  type PythonLimits,
  PythonProcess,
} from './python_process.node.ts';
import { PROGRAM, TESTS } from './python_runner.ts';

/** What a program printed, or how it failed. */
export type PythonOutput = { readonly ok: true; readonly output: string } | PythonFailed;
/** What a function gave for some arguments, or how it failed. */
export type PythonValue = { readonly ok: true; readonly value: Json } | PythonFailed;
/** Whether all tests passed, or how the first failed. */
export type PythonVerdict = { readonly ok: true } | PythonFailed;

/** Tests in Python of a function: a program sees the arguments that they pass, and nothing else of them. */
export interface PythonTests {
  /** The name of the function, which they call by it. */
  readonly name: string;
  /** What raises where a value is not right, such as `assert f(3) == 9`. */
  readonly tests: string;
  /** What runs before them: what they need of a problem's own text, such as its imports. Default: nothing. */
  readonly setup?: string;
}

/** A Python of this machine that runs programs. */
export interface PythonSandbox {
  readonly engine: SandboxEngine;
  /** Whether programs are in namespaces of their own: no network, their own /proc, and files that they can read alone. */
  readonly isApart: boolean;
  /**
   * What a program prints. That it ended says nothing of it: tests inside of a program are the program's own.
   *
   * @param input  what it reads; default nothing
   * @throws RangeError for a limit that is none
   */
  output(program: string, input?: string, limits?: PythonLimits): Promise<PythonOutput>;
  /** What a function of a program gives for each list of arguments, as JSON; tuples are lists. @throws RangeError likewise */
  call(
    program: string,
    name: string,
    calls: readonly (readonly Json[])[],
    limits?: PythonLimits,
  ): Promise<PythonValue[]>;
  /** Tries tests on a function of a program, in a process that gets plain values from it. @throws RangeError likewise */
  test(program: string, tests: PythonTests, limits?: PythonLimits): Promise<PythonVerdict>;
}

/** Namespaces of user, network and processes; all of them end with the first. */
const NAMESPACES = ['unshare', '--map-root-user', '--net', '--pid', '--fork', '--kill-child'];

const execute = promisify(execFile);

/**
 * A sandbox of the Python of this machine.
 *
 * @param command  the Python, 3.8 or later, on Linux or macOS. Default `python3`
 * @throws ConfigError where it is not there
 */
export async function openPython(command = 'python3'): Promise<PythonSandbox> {
  const asked = 'import resource, sys; print(sys.executable); print(sys.version.split()[0])';
  let lines: string[];
  try {
    lines = (await execute(command, ['-I', '-c', asked])).stdout.trim().split('\n');
  } catch {
    const message = `the sandbox for Python needs ${JSON.stringify(command)}, which does not run here; install Python 3, or name another`;
    throw new ConfigError('no-sandbox', message, { sandbox: 'python', command });
  }
  const [executable = command, version = ''] = lines;
  return new Sandbox(await commandOf(executable), { name: 'python', version });
}

/** The strictest way in which this machine's kernel lets a program run. */
async function commandOf(executable: string): Promise<PythonCommand> {
  const ways: PythonCommand[] = [
    { command: [...NAMESPACES, '--mount-proc', executable], isApart: true },
    { command: [...NAMESPACES, executable], isApart: false },
  ];
  for (const way of ways) {
    const process = await PythonProcess.start(way, PROGRAM, { seconds: 60, memoryBytes: 2 ** 28 }, '');
    process.send(JSON.stringify(givenOf('', null)));
    await process.receive();
    const { failure } = process;
    await process.end();
    if (failure === undefined) return way;
  }
  return { command: [executable], isApart: false };
}

const givenOf = (program: string, name: string | null, json = false): Json => ({
  program,
  name,
  json,
  module: name === null ? '__main__' : 'program',
});

function checked({ seconds = 5, memoryBytes = 512 * 2 ** 20 }: PythonLimits = {}): Required<PythonLimits> {
  if (!(seconds > 0 && seconds <= 600)) throw new RangeError(`seconds: ${seconds} — above 0, at most 600`);
  if (!(Number.isInteger(memoryBytes) && memoryBytes >= 2 ** 25)) {
    throw new RangeError(`memoryBytes: ${memoryBytes} — a whole number of at least ${2 ** 25}`);
  }
  return { seconds, memoryBytes };
}

const failed = (failure: PythonFailed['failure'], reason: string): PythonFailed => ({ ok: false, failure, reason });

class Sandbox implements PythonSandbox {
  readonly engine: SandboxEngine;
  readonly #way: PythonCommand;

  constructor(way: PythonCommand, engine: SandboxEngine) {
    this.engine = engine;
    this.#way = way;
  }

  get isApart(): boolean {
    return this.#way.isApart;
  }

  async output(program: string, input = '', limits?: PythonLimits): Promise<PythonOutput> {
    const work = async (process: PythonProcess): Promise<PythonOutput> => {
      process.send(JSON.stringify(givenOf(program, null)));
      while ((await process.receive()) !== undefined); // nothing was asked on the line
      return process.failure ?? { ok: true, output: process.output };
    };
    return this.#with(PROGRAM, checked(limits), work, input);
  }

  async call(
    program: string,
    name: string,
    calls: readonly (readonly Json[])[],
    limits?: PythonLimits,
  ): Promise<PythonValue[]> {
    return this.#with(PROGRAM, checked(limits), async (process) => {
      process.send(JSON.stringify(givenOf(program, name, true)));
      const values: PythonValue[] = [];
      for (const args of calls) {
        process.send(JSON.stringify([args.map(marked), { dict: [] }]));
        const line = await process.receive();
        values.push(line === undefined ? endedEarly(process) : answered(line));
      }
      return values;
    });
  }

  async test(program: string, { name, tests, setup = '' }: PythonTests, limits?: PythonLimits): Promise<PythonVerdict> {
    const given = checked(limits);
    return this.#with(PROGRAM, given, (tried) =>
      this.#with(TESTS, { ...given, seconds: given.seconds + 5 }, async (trying) => {
        tried.send(JSON.stringify(givenOf(program, name)));
        trying.send(JSON.stringify({ name, tests, setup }));
        for (;;) {
          const line = await trying.receive();
          if (line === undefined) return trying.failure ?? failed('tests', 'they ended by themselves');
          const said = JSON.parse(line) as
            | Json[]
            | { readonly end: 'passed' | PythonFailed['failure']; reason: string };
          if (!Array.isArray(said)) return said.end === 'passed' ? { ok: true } : failed(said.end, reasonOf(said));
          tried.send(line);
          const answer = await tried.receive();
          if (answer === undefined) return endedEarly(tried);
          trying.send(answer);
        }
      }),
    );
  }

  async #with<T>(
    runner: string,
    limits: Required<PythonLimits>,
    work: (process: PythonProcess) => Promise<T>,
    input = '',
  ): Promise<T> {
    const process = await PythonProcess.start(this.#way, runner, limits, input);
    try {
      return await work(process);
    } finally {
      await process.end();
    }
  }
}

const endedEarly = (process: PythonProcess): PythonFailed =>
  process.failure ?? failed('error', 'it ended before it gave a value');

/** A value of JSON as a process reads it. */
function marked(value: Json): Json {
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== 'object' || value === null) return value;
  return { dict: Object.entries(value).map(([key, one]) => [key, marked(one)]) };
}

const NOT_COMPARED = 'it gives what is not compared';

function answered(line: string): PythonValue {
  const said = lineValue(line) as { readonly [key: string]: Json } | null | undefined;
  if (said?.value !== undefined) return { ok: true, value: said.value };
  if (typeof said?.error !== 'string') return failed('value', `${NOT_COMPARED}: ${said?.odd ?? 'no JSON'}`);
  return failed(failureOf(said.error), `${said.name}: ${said.text}`);
}

const REASONS: Readonly<Record<string, string>> = { assert: 'it fails a test', memory: 'MemoryError' };

function reasonOf({ end, reason }: { readonly end: string; readonly reason: string }): string {
  return REASONS[end] ?? (end === 'value' ? `${NOT_COMPARED}: ${reason}` : reason);
}
