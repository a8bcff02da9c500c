import { expect, it } from 'vitest';
import { lateRule, ScoringWorker } from '../../src/rewards/scoring_worker.ts';

/** A worker that says what `answers` gives for a message, and nothing where that is undefined. */
function workerOf(answers: (message: unknown) => string | undefined): {
  worker: ScoringWorker<string>;
  terminated: () => number;
} {
  let terminated = 0;
  const worker: ScoringWorker<string> = new ScoringWorker({
    post: (message) => {
      const reply = answers(message);
      if (reply !== undefined) queueMicrotask(() => worker.hear(reply));
    },
    terminate: () => {
      terminated++;
    },
  });
  return { worker, terminated: () => terminated };
}

it('a question gets the reply to it, one after the other', async () => {
  const { worker } = workerOf((message) => `to ${message}`);
  expect(await worker.ask(1, 'a')).toEqual({ type: 'reply', reply: 'to a' });
  expect(await worker.ask(1, 'b')).toEqual({ type: 'reply', reply: 'to b' });
});

it('what nobody waits for is not taken for the next reply', async () => {
  const { worker } = workerOf((message) => `to ${message}`);
  worker.hear('stray');
  expect(await worker.ask(1, 'a')).toEqual({ type: 'reply', reply: 'to a' });
});

it('a question without an answer is late after its limit, however long a limit a timer can hold', async () => {
  const { worker } = workerOf((message) => (message === 'slow' ? undefined : 'soon'));
  expect(await worker.ask(0.01, 'slow')).toEqual({ type: 'late' });
  expect(await worker.ask(Number.MAX_SAFE_INTEGER, 'quick')).toEqual({ type: 'reply', reply: 'soon' });
});

it('an end answers the open question and all further ones with its first reason', async () => {
  const { worker } = workerOf(() => undefined);
  const open = worker.ask(1, 'a');
  worker.end('ran out of memory');
  worker.end('ended its thread');
  expect(await open).toEqual({ type: 'ended', reason: 'ran out of memory' });
  expect(await worker.ask(1, 'b')).toEqual({ type: 'ended', reason: 'ran out of memory' });
});

it('one that was closed is terminated and answers nothing more', async () => {
  const { worker, terminated } = workerOf(() => 'reply');
  await worker.close();
  expect(terminated()).toBe(1);
  expect(await worker.ask(1, 'a')).toEqual({ type: 'ended', reason: 'was closed' });
});

it('the rule that a late one breaks names its limit and its time', () => {
  expect(lateRule(5, 'in step 3')).toBe('gave nothing within 5 s in step 3 — it hangs or is too slow; correct it');
});
