/**
 * Threads for verdicts that take time. All tasks of a run share them; each takes the next few answers when it is free, and
 * verdicts are put together by the places of their answers, so how many threads there are decides nothing but the time.
 */
import { availableParallelism } from 'node:os';
import type { Judge, JudgeThreads } from '../../../src/data/judging/judged.ts';
import type { Knobs } from '../../../src/data/problem.ts';
import { PluginError } from '../../../src/errors.ts';
import type { Json } from '../../../src/options/json.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';
import type { ModuleReference } from '../../../src/run/opened_config.ts';
import { SandboxThread } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
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

/** Opens threads for verdicts that take time. @param most  of them, from 1; default: one for each core, at most 4 */
export function judgeThreads(most = Math.min(MOST_THREADS, availableParallelism())): NodeJudgeThreads {
  /** All that were started, and have not ended. */
  const threads = new Set<SandboxThread>();
  const idle: SandboxThread[] = [];
  /** Parts that wait for a thread. */
  const waiting: ((thread: SandboxThread) => void)[] = [];
  let isClosed = false;

  const start = (): SandboxThread => {
    const limits = { load: NO_LIMIT, score: NO_LIMIT };
    const thread = openThread({ kind: 'judge' }, (host) => new SandboxThread(host, limits));
    threads.add(thread);
    return thread;
  };
  const freeThread = async (): Promise<SandboxThread> =>
    idle.pop() ?? (threads.size < most ? start() : new Promise((resolve) => waiting.push(resolve)));

  const judgePart = async (name: string, question: JudgeQuestion): Promise<readonly Verdict[]> => {
    const thread = await freeThread();
    const answer = await thread.ask(NO_LIMIT, question);
    const isOver = answer.type !== 'reply';
    if (isOver) threads.delete(thread);
    const next = waiting.shift();
    if (next !== undefined) next(isOver && !isClosed ? start() : thread);
    else if (!isOver) idle.push(thread);
    if (isOver) throw ended(name, question, answer.type === 'ended' ? answer.reason : 'gave nothing');
    const { reply } = answer;
    if (reply.type === 'scores') return reply.values as readonly Verdict[]; // the thread has checked them
    if (reply.type === 'failed' && reply.code !== undefined)
      throw new PluginError(reply.code, reply.message, reply.facts);
    const thrown = reply.type === 'threw' ? reply.thrown : reply.type;
    throw new PluginError('task-failed', `task "${name}": verify failed in its thread (${thrown}) — correct it.`);
  };

  /** @param name  what the task is called in messages */
  const judgeOf =
    (name: string, source: TaskSource): Judge<Json, Knobs> =>
    async (answers, knobs) => {
      if (isClosed) throw new RangeError('threads that are closed were asked for verdicts');
      const size = Math.max(1, Math.min(MOST_AT_ONCE, Math.ceil(answers.length / (PARTS_PER_THREAD * most))));
      const judged: Promise<readonly Verdict[]>[] = [];
      for (let begin = 0; begin < answers.length; begin += size) {
        judged.push(judgePart(name, { source, knobs, answers: answers.slice(begin, begin + size) }));
      }
      // Of several failures the first in order is thrown, whichever came first.
      return (await Promise.allSettled(judged)).flatMap((part) => {
        if (part.status === 'rejected') throw part.reason;
        return part.value;
      });
    };
  return {
    ofTask: (name, given) => judgeOf(name, { name, given }),
    ofFile: (reference, limitSeconds) => judgeOf(reference.shown, { reference, limitSeconds }),
    async close() {
      isClosed = true;
      await Promise.all([...threads].map((thread) => thread.close()));
    },
  };
}

function ended(name: string, { answers }: JudgeQuestion, reason: string): PluginError {
  const about = `while it judged ${answers.length} answers, the first ${JSON.stringify(answers[0]?.answer.slice(0, 60))}`;
  return new PluginError('task-failed', `task "${name}": verify ${reason} ${about} — correct it.`, { task: name });
}
