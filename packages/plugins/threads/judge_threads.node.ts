/**
 * Threads for verdicts that take time. All tasks of a run share them; each takes the next few answers when it is free, and
 * verdicts are put together by the places of their answers, so how many threads there are decides nothing but the time.
 */
import { availableParallelism } from 'node:os';
import type { Judge, JudgeThreads } from '../../../src/data/judging/judged.ts';
import type { AskedAnswer, Knobs } from '../../../src/data/problem.ts';
import { PluginError } from '../../../src/errors.ts';
import type { Json } from '../../../src/options/json.ts';
import { SandboxThread } from '../../../src/rewards/sandbox/sandbox_thread.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';
import type { ModuleReference } from '../../../src/run/opened_config.ts';
import type { JudgeQuestion, TaskSource } from './judge_role.node.ts';
import { openThread } from './own_thread.node.ts';

const MOST_THREADS = 4;
/** Parts per thread that a batch is cut into: a thread whose answers are slow keeps the others from little. */
const PARTS_PER_THREAD = 4;
/** Most answers of a part. */
const MOST_AT_ONCE = 64;
/** A verdict has its own limit in the thread, where the answer is known that it is about. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

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
      pool.judge(name, { source, knobs, answers });
  return {
    ofTask: (name, given) => judgeOf(name, { name, given }),
    ofFile: (reference, limitSeconds) => judgeOf(reference.shown, { reference, limitSeconds }),
    close: () => pool.close(),
  };
}

class Pool {
  readonly #most: number;
  /** All that were started, and have not ended. */
  readonly #threads = new Set<SandboxThread>();
  readonly #idle: SandboxThread[] = [];
  /** Parts that wait for a thread. */
  readonly #waiting: ((thread: SandboxThread) => void)[] = [];
  #isClosed = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** @param name  what the task is called in messages */
  async judge(name: string, { source, knobs, answers }: JudgeQuestion): Promise<readonly Verdict[]> {
    if (this.#isClosed) throw new RangeError('threads that are closed were asked for verdicts');
    const size = Math.max(1, Math.min(MOST_AT_ONCE, Math.ceil(answers.length / (PARTS_PER_THREAD * this.#most))));
    const parts: (readonly AskedAnswer<Json>[])[] = [];
    for (let begin = 0; begin < answers.length; begin += size) parts.push(answers.slice(begin, begin + size));
    const judged = parts.map((part) => this.#judgePart(name, { source, knobs, answers: part }));
    const verdicts: Verdict[] = [];
    // The first of several failures in order is said, whichever came first.
    for (const part of await Promise.allSettled(judged)) {
      if (part.status === 'rejected') throw part.reason;
      verdicts.push(...part.value);
    }
    return verdicts;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  async #judgePart(name: string, question: JudgeQuestion): Promise<readonly Verdict[]> {
    const thread = await this.#freeThread();
    const answer = await thread.ask(NO_LIMIT, question);
    const isOver = answer.type !== 'reply';
    if (isOver) this.#threads.delete(thread);
    const next = this.#waiting.shift();
    if (next !== undefined) next(isOver && !this.#isClosed ? this.#start() : thread);
    else if (!isOver) this.#idle.push(thread);
    if (isOver) throw ended(name, question, answer.type === 'ended' ? answer.reason : 'gave nothing');
    const { reply } = answer;
    if (reply.type === 'scores') return reply.values as readonly Verdict[]; // looked at in the thread
    if (reply.type === 'failed' && reply.code !== undefined)
      throw new PluginError(reply.code, reply.message, reply.facts);
    const thrown = reply.type === 'threw' ? reply.thrown : reply.type;
    throw new PluginError('task-failed', `task "${name}": verify failed in its thread (${thrown}) — correct it.`);
  }

  async #freeThread(): Promise<SandboxThread> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#threads.size < this.#most) return this.#start();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #start(): SandboxThread {
    const limits = { load: NO_LIMIT, score: NO_LIMIT };
    const thread = openThread({ kind: 'judge' }, (host) => new SandboxThread(host, limits));
    this.#threads.add(thread);
    return thread;
  }
}

function ended(name: string, { answers }: JudgeQuestion, reason: string): PluginError {
  const about = `while it judged ${answers.length} answers, the first ${JSON.stringify(answers[0]?.answer.slice(0, 60))}`;
  return new PluginError('task-failed', `task "${name}": verify ${reason} ${about} — correct it.`, { task: name });
}
