/** The thread's end: loads what it was started for, then answers one question after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { RlvrError } from '../../../src/errors.ts';
import type { Envelope, SandboxReply } from '../../zoo/rewards/sandbox/sandbox.ts';
import { describeThrown, importExport } from '../module.node.ts';
import type { Answer, ThreadStart } from './roles.ts';

const start = workerData.start as ThreadStart; // own_thread.node.ts sends it

/** What each kind of thread loads before its first question; what the others need is not imported. */
async function load(): Promise<Answer> {
  switch (start.kind) {
    case 'reward':
      return (await import('./reward_role.node.ts')).openReward(start);
    case 'reporter':
      return (await import('./reward_role.node.ts')).openReporter(start);
    case 'trial':
      await importExport(start.reference);
      return () => ({ type: 'scores', values: null });
    case 'judge':
      return (await import('./judge_role.node.ts')).judge;
    case 'classifier':
      return (await import('../../zoo/rewards/classifier/classifier.node.ts')).openClassifier(start);
  }
}

/** A thread for verdicts has nothing to refuse, and loads at once. */
let answer = start.kind === 'judge' ? await load() : undefined;

/** The first question is for what is loaded. */
async function reply(question: unknown): Promise<SandboxReply> {
  const isLoading = answer === undefined;
  try {
    if (answer !== undefined) return await answer(question as never); // the run is typed
    answer = await load();
    return { type: 'ready' };
  } catch (error) {
    const path = 'reference' in start ? start.reference.path : '';
    const thrown = describeThrown(error, path);
    if (!RlvrError.is(error))
      return isLoading ? { type: 'refused', rule: `fails: ${thrown}; correct it` } : { type: 'threw', thrown };
    const { message, code } = error;
    const facts = JSON.parse(JSON.stringify(error.facts)) as Readonly<Record<string, unknown>>; // what a thread can send
    return isLoading ? { type: 'refused', rule: message, facts } : { type: 'failed', message, code, facts };
  }
}

parentPort?.on('message', async ({ nonce, content }: Envelope<unknown>) => {
  parentPort?.postMessage({ nonce, content: await reply(content) } satisfies Envelope<SandboxReply>);
});
