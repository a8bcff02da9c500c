/** Runs the built command line as a user would, in a directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../../../dist/cli/main.js', import.meta.url));

/** How often a file that is waited for is looked at. */
const LOOK_MS = 5;

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * For `node --import`: a process that has printed what `when` matches, or that is about to end where `when` is absent, waits until a
 * file is there or the process that started it is gone. So what a test does meanwhile need not be faster than the process.
 */
export function waiting(file: string, when?: RegExp): string {
  const code = `import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const when = ${when ?? 'undefined'};
const cell = new Int32Array(new SharedArrayBuffer(4));
const parent = process.ppid;
const wait = () => {
  while (!existsSync(${JSON.stringify(file)}) && process.ppid === parent) Atomics.wait(cell, 0, 0, ${LOOK_MS});
};
if (isMainThread) {
  delete process.env.NODE_OPTIONS; // processes that it starts do not wait
  const { stdout } = process;
  const { write } = stdout;
  let said = '';
  stdout.write = (chunk, ...rest) => {
    const isTaken = write.call(stdout, chunk, ...rest);
    said += chunk;
    if (when?.test(said)) wait();
    return isTaken;
  };
  if (when === undefined) process.on('exit', wait);
}`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a test does to a command that is under way, which waits for it where `when` or `whenThere` says at which moment. */
export interface Interrupt {
  /** The moment at which this is seen on standard output; … */
  readonly when?: RegExp;
  /** … or this file exists, and has that many `lines`; without either, the command's start. */
  readonly whenThere?: string;
  readonly lines?: number;
  /** Milliseconds from then on. */
  readonly afterMs?: number;
  /** Called at that time. */
  readonly act?: () => unknown;
  /** Sent next; absent: none. */
  readonly signal?: NodeJS.Signals;
}

/** @param place  where the command is typed, what it finds in the environment, and what reads its standard output */
export async function commandLine(
  arguments_: readonly string[],
  interrupt?: Interrupt,
  place: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly heard?: (text: string, child: ChildProcess) => void;
  } = {},
): Promise<Outcome> {
  const { when, whenThere, lines = 0, afterMs = 0, act, signal } = interrupt ?? {};
  const folder = temporaryFolder();
  const isDone = join(folder.path, 'done');
  const isMoment = when !== undefined || whenThere !== undefined;
  const waits = isMoment ? { NODE_OPTIONS: `--import ${waiting(isDone, when)}` } : {};
  const env = { ...process.env, NO_COLOR: '1', ...waits, ...place.env };
  const child = spawn(process.execPath, [PROGRAM, ...arguments_], { cwd: place.cwd, env });
  let stdout = '';
  let stderr = '';
  let timer: NodeJS.Timeout | undefined;
  let acted: Promise<void> | undefined;
  const interrupted = async (): Promise<void> => {
    try {
      await act?.();
      if (signal !== undefined) child.kill(signal);
    } finally {
      writeFileSync(isDone, '');
    }
  };
  const begin = (): void => {
    timer ??= setTimeout(() => {
      acted = interrupted();
    }, afterMs);
  };
  const looking =
    whenThere === undefined ? undefined : setInterval(() => hasLines(whenThere, lines) && begin(), LOOK_MS);
  if (interrupt !== undefined && !isMoment) begin();
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    place.heard?.(chunk.toString(), child);
    if (when?.test(stdout)) begin();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code, by] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  clearInterval(looking);
  await acted;
  folder.remove();
  return { code, signal: by, stdout, stderr };
}

function hasLines(file: string, lines: number): boolean {
  return existsSync(file) && (lines === 0 || readFileSync(file, 'utf8').split('\n').length > lines);
}

/** A fresh folder, and its removal. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'rlvr-train-e2e-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function writeConfig(folder: string, text: string): string {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, text);
  return file;
}

export interface SummaryFile {
  readonly baseline: Record<string, number> | null;
  readonly final: Record<string, number> | null;
  readonly weightsSha256: string;
  readonly threads: number;
}

export function readSummary(directory: string): SummaryFile {
  return JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8'));
}

/** Lines of metrics.jsonl without the figures that depend on the clock. */
export function readMetrics(directory: string): Record<string, unknown>[] {
  return readFileSync(join(directory, 'metrics.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { step_time: _, eval_runtime: _1, ...metrics } = JSON.parse(line);
      return metrics;
    });
}

/** A few seconds of training that pass through everything: a warm start, two iterations per batch, a KL term, refill. */
export const SMALL_CONFIG = `
task: {name: reverse_text, min_length: 3, max_length: 4}
model: {hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 48, initializer_range: 0.05}
seed: 3
save_seconds: 0.05
stages:
  - {stage: sft, max_steps: 40, per_device_train_batch_size: 16, learning_rate: 3.0e-3, eval_strategy: "no"}
  - {stage: grpo, max_steps: 30, num_generations: 4, generation_batch_size: 32, learning_rate: 1.0e-3, num_iterations: 2,
     beta: 0.01, entropy_coef: 0.01, reward_funcs: [lcs], dynamic_sampling: {name: refill, max_rounds: 1}, eval_steps: 10,
     num_generations_eval: 2}
`;
