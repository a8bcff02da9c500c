/**
 * Threads for verdicts that take time. All tasks of a run share them; each takes the next few answers when it is free, and
 * verdicts are put together by the places of their answers, so how many threads there are decides nothing but the time.
 */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { Judge, JudgeThreads } from '../../data/judging/judged.ts';
import type { AskedAnswer, Knobs } from '../../data/problem.ts';
import { PluginError } from '../../errors.ts';
import type { Json } from '../../options/json.ts';
import type { Verdict } from '../../rewards/verdict.ts';
import type { ModuleReference } from '../../run/opened_config.ts';
import { endOf, startThread } from '../plugin_thread.node.ts';
import type { JudgeQuestion, JudgeReply, TaskSource } from './judge_worker.node.ts';

const MOST_THREADS = 4;
/** Parts per thread that a batch is cut into: a thread whose answers are slow keeps the others from little. */
const PARTS_PER_THREAD = 4;
/** Most answers of a part. */
const MOST_AT_ONCE = 64;

/** Threads of a process, started when they are first needed. */
export interface NodeJudgeThreads extends JudgeThreads {
  /** @param limitSeconds  most seconds of a verdict */
  ofFile(reference: ModuleReference, limitSeconds: number): Judge<Json, Knobs>;
  /** Ends them; what is asked after it fails. */
  close(): Promise<void>;
}

/** Opens threads for verdicts that take time. @param threads  most of them, from 1; default: one for each core, at most 4 */
export function judgeThreads(threads = Math.min(MOST_THREADS, availableParallelism())): NodeJudgeThreads {
  const pool = new Pool(threads);
  const judgeOf =
    (name: string, source: TaskSource): Judge<Json, Knobs> =>
    (answers, knobs) =>
      pool.judge(name, source, answers, knobs);
  return {
    ofTask: (name, given) => judgeOf(name, { name, given }),
    ofFile: (reference, limitSeconds) => judgeOf(reference.shown, { reference, limitSeconds }),
    close: () => pool.close(),
  };
}

/** A part of a batch that waits for its verdicts. */
interface Part extends JudgeQuestion {
  /** What the task is called in messages. */
  readonly name: string;
  resolve(verdicts: readonly Verdict[]): void;
  reject(error: Error): void;
}

class Pool {
  readonly #most: number;
  /** Each with the part that it is busy with. */
  readonly #threads = new Map<Worker, Part | undefined>();
  readonly #waiting: Part[] = [];
  #isClosed = false;

  constructor(most: number) {
    this.#most = most;
  }

  async judge(
    name: string,
    source: TaskSource,
    answers: readonly AskedAnswer<Json>[],
    knobs: Knobs,
  ): Promise<readonly Verdict[]> {
    if (this.#isClosed) throw new RangeError('threads that are closed were asked for verdicts');
    const size = Math.max(1, Math.min(MOST_AT_ONCE, Math.ceil(answers.length / (PARTS_PER_THREAD * this.#most))));
    const parts: Promise<readonly Verdict[]>[] = [];
    for (let begin = 0; begin < answers.length; begin += size) {
      const some = answers.slice(begin, begin + size);
      parts.push(
        new Promise((resolve, reject) => {
          this.#waiting.push({ name, source, knobs, answers: some, resolve, reject });
        }),
      );
    }
    this.#next();
    const verdicts: Verdict[] = [];
    // The first of several failures in order is said, whichever came first.
    for (const part of await Promise.allSettled(parts)) {
      if (part.status === 'rejected') throw part.reason;
      verdicts.push(...part.value);
    }
    return verdicts;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const threads = [...this.#threads.keys()];
    this.#threads.clear();
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  /** Gives waiting parts to threads that are free, or not started yet. */
  #next(): void {
    while (this.#waiting.length > 0) {
      const free = [...this.#threads].find(([, part]) => part === undefined)?.[0];
      const thread = free ?? (this.#threads.size < this.#most ? this.#start() : undefined);
      const part = thread && this.#waiting.shift();
      if (part === undefined) return;
      const { source, knobs, answers } = part;
      this.#threads.set(thread as Worker, part);
      thread?.ref();
      thread?.postMessage({ source, knobs, answers } satisfies JudgeQuestion);
    }
  }

  #start(): Worker {
    const thread = startThread('judging/judge_worker.node', undefined);
    thread.stdout.pipe(process.stderr, { end: false }); // a run's own output may be read by a script
    thread.on('message', (reply: JudgeReply) => {
      const part = this.#threads.get(thread);
      this.#threads.set(thread, undefined);
      thread.unref(); // a program that does not close them ends all the same
      if ('verdicts' in reply) part?.resolve(reply.verdicts);
      else part?.reject(errorOf(reply, part.name));
      this.#next();
    });
    const end = (reason: string): void => {
      const part = this.#threads.get(thread);
      this.#threads.delete(thread);
      part?.reject(ended(part, reason));
      if (!this.#isClosed) this.#next();
    };
    thread.on('error', (cause: NodeJS.ErrnoException) => end(endOf(cause)));
    thread.on('exit', (code) => end(`ended its thread by process.exit(${code})`));
    this.#threads.set(thread, undefined);
    return thread;
  }
}

function errorOf({ failed, code, facts }: Extract<JudgeReply, { failed: string }>, name: string): PluginError {
  if (code !== undefined) return new PluginError(code, failed, facts);
  return new PluginError('task-failed', `task "${name}": verify failed in its thread (${failed}) — correct it.`);
}

function ended({ name, answers }: Part, reason: string): PluginError {
  const about = `while it judged ${answers.length} answers, the first ${JSON.stringify(answers[0]?.answer.slice(0, 60))}`;
  return new PluginError('task-failed', `task "${name}": verify ${reason} ${about} — correct it.`, { task: name });
}
