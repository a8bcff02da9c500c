/** Requests that are answered together have the bits that each has alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { wholeVocabulary } from '../../../src/model/sampling/generation.ts';
import { type Answering, askedPolicy } from '../../models/asked/asked_policy.ts';
import { openAnswering } from '../../models/asked/open_model.ts';
import { openSmallPretrained } from '../../models/test/support/small_pretrained.ts';
import { AnswerQueue, type Question } from '../answer_queue.ts';

const TOKENS = 12;
let answering: Answering;

beforeAll(async () => {
  const options = { context: 96, parallel: 3 };
  answering = await openAnswering(await openSmallPretrained(), await wasmBackend({ inline: true }), options);
});
afterAll(() => answering.close());

function question(text: string, changes: Partial<Question> = {}): Question {
  const { codec, end } = answering;
  const prompt = answering.codec.encode(codec.render([{ role: 'user', content: text }]));
  return { prompt, sampling: wholeVocabulary(1), n: 1, seed: 7, maxTokens: TOKENS, stopIds: end.stopIds, ...changes };
}

describe('answers to many requests', () => {
  it('have the bits of a call that asks one prompt alone, whatever is asked beside it', async () => {
    const policy = askedPolicy(answering);
    const texts = ['a', 'Hello', 'a', 'What is it?', 'b', 'the end'];
    const alone = [];
    for (const text of texts) {
      const [own] = await policy.generate([text], { n: 2, seed: 7, temperature: 1, maxTokens: TOKENS });
      alone.push(own.map(({ tokens, logprobs, finishReason }) => ({ tokens, logprobs, finishReason })));
    }
    const queue = new AnswerQueue(answering.policy);
    // More answers than fit side by side, and others at another temperature between them.
    const together = await Promise.all(
      texts.flatMap((text) => [
        queue.ask(question(text, { n: 2 })),
        queue.ask(question(text, { sampling: wholeVocabulary(0.5) })),
      ]),
    );
    const told = together
      .filter((_, i) => i % 2 === 0)
      .map((own) => own.map(({ tokens, logprobs, finishReason }) => ({ tokens, logprobs, finishReason })));
    expect(told).toEqual(alone);
    expect(queue.load).toEqual({ open: 0, waiting: 0 });
  });

  it('differ between requests without a seed, and come again in another queue', async () => {
    const twice = async () => {
      const queue = new AnswerQueue(answering.policy);
      const asked = { seed: undefined, sampling: wholeVocabulary(1) };
      const both = await Promise.all([queue.ask(question('a', asked)), queue.ask(question('a', asked))]);
      return both.flat().map(({ tokens }) => [...tokens]);
    };
    const [first, second] = await twice();
    expect(first).not.toEqual(second);
    expect(await twice()).toEqual([first, second]);
  });

  it('leave their places when who asked has gone', async () => {
    const queue = new AnswerQueue(answering.policy);
    const gone = new AbortController();
    const leaves = (_: number, { tokens }: { tokens: Int32Array }): boolean => {
      if (tokens.length === 3) gone.abort('gone');
      return false;
    };
    const [left, waiting, other] = [
      queue.ask(question('a', { signal: gone.signal, onToken: leaves })),
      queue.ask(question('b', { signal: gone.signal, sampling: wholeVocabulary(0.5) })),
      queue.ask(question('Hello')),
    ];
    await expect(left).rejects.toBe('gone');
    await expect(waiting).rejects.toBe('gone');
    const [stayed] = await other;
    const [[alone]] = await askedPolicy(answering).generate(['Hello'], { seed: 7, temperature: 1, maxTokens: TOKENS });
    expect([...stayed.tokens]).toEqual([...alone.tokens]);
    expect(queue.load).toEqual({ open: 0, waiting: 0 });
  });

  it('end where they are told to, and are refused where there is no room', async () => {
    const queue = new AnswerQueue(answering.policy);
    const [ended] = await queue.ask(question('a', { onToken: (_, { tokens }) => tokens.length === 4 }));
    expect([ended.tokens.length, ended.finishReason]).toEqual([4, 'stop']);
    await expect(queue.ask(question('a', { maxTokens: 97 }))).rejects.toMatchObject({ code: 'capacity' });
    const [after] = await queue.ask(question('a'));
    expect(after.tokens.length).toBeGreaterThan(0);
  });
});
