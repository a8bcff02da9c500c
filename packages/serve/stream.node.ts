/** Answers as server-sent events: each chunk has what is new of one answer, and `[DONE]` ends them. */
import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../src/run/json.ts';
import type { Codec } from '../../src/text/codec.ts';
import { textOf } from '../models/asked/asked_policy.ts';
import type { Telling } from './asked.ts';
import { contentOf, type Ended, finishOf, listsOf, messageOf, settledText, type Told, usageOf } from './told.ts';

/** What was told of an answer. */
interface Progress {
  text: number;
  tokens: number;
}

export class AnswerStream {
  readonly #response: ServerResponse;
  readonly #codec: Codec;
  readonly #asked: Telling;
  readonly #head: JsonObject;
  readonly #isChat: boolean;
  readonly #progress = new Map<number, Progress>();

  constructor(response: ServerResponse, codec: Codec, asked: Telling, head: JsonObject, kind: 'chat' | 'completion') {
    this.#response = response;
    this.#codec = codec;
    this.#asked = asked;
    this.#isChat = kind === 'chat';
    this.#head = { ...head, object: this.#isChat ? 'chat.completion.chunk' : 'text_completion' };
  }

  /** An answer has a token more. Calls of tools are told at the end, since a part of one is no call. */
  grow(index: number, text: string, told: Told): void {
    if (!this.#asked.hasTools) this.#tell(index, settledText(text, this.#asked.stops), told, null);
  }

  /** @param completions  all answers, at their ends */
  end(completions: readonly Ended[]): void {
    completions.forEach((completion, index) => {
      const text = textOf(completion, this.#codec, this.#asked.stops);
      this.#tell(index, text, completion, finishOf(completion));
    });
    if (this.#asked.countsTokens) {
      const prompts = this.#asked.questions.map(({ prompt }) => prompt);
      this.#write({ ...this.#head, choices: [], usage: usageOf(prompts, completions) });
    }
    this.#response.write('data: [DONE]\n\n');
    this.#response.end();
  }

  #tell(index: number, text: string, told: Told, finish: string | null): void {
    const before = this.#progress.get(index);
    const from = before ?? { text: 0, tokens: 0 };
    if (finish === null && before !== undefined && text.length <= from.text) return;
    this.#progress.set(index, { text: Math.max(text.length, from.text), tokens: told.tokens.length });
    const { hasTools, tellsLogprobs, tellsIds, questions } = this.#asked;
    const added = text.slice(from.text);
    const ids = tellsIds && { token_ids: [...told.tokens.subarray(from.tokens)] };
    const logprobsOf = this.#isChat ? contentOf : listsOf;
    const logprobs = logprobsOf(this.#codec, told, tellsIds, from.tokens);
    const { message, hasCalls } = messageOf(this.#codec, text, { hasTools: hasTools && finish !== null });
    const content = hasCalls ? message.content : added;
    const delta = {
      ...(before === undefined && { role: 'assistant' }),
      content,
      ...(hasCalls && { tool_calls: (message.tool_calls as JsonObject[]).map((call, at) => ({ index: at, ...call })) }),
    };
    const prompt = questions[Math.floor(index / questions[0].n)].prompt;
    this.#write({
      ...this.#head,
      ...(tellsIds && before === undefined && { prompt_token_ids: [...prompt] }),
      choices: [
        {
          index,
          ...(this.#isChat ? { delta } : { text: added }),
          finish_reason: hasCalls ? 'tool_calls' : finish,
          logprobs: !tellsLogprobs ? null : this.#isChat ? { content: logprobs } : logprobs,
          ...ids,
        },
      ],
    });
  }

  #write(chunk: JsonObject): void {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
    }
    this.#response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
}
