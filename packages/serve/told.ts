/** Answers as OpenAI's and vLLM's routes tell them: texts, calls of tools, token ids and log-probs. */
import type { Completion } from '../../src/model/sampling/generation.ts';
import type { JsonObject } from '../../src/run/json.ts';
import type { Codec } from '../../src/text/codec.ts';
import { textOf } from '../models/asked/asked_policy.ts';
import { callFormatOf } from '../zoo/data/tools/call_formats.ts';
import type { Telling } from './asked.ts';

/** Sampled tokens with the log-prob of each under the distribution that it was drawn from. */
export interface Told {
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  /** Log of the mass that top-k, top-p and min-p kept. */
  readonly keptLogMass: Float32Array;
}

/** An answer at its end. */
export type Ended = Told & Pick<Completion, 'finishReason'>;

const FINISH = { eos: 'stop', stop: 'stop', length: 'length' } as const;

/** The part of a growing text that later tokens leave as it is: no half character, and no beginning of a stop. */
export function settledText(text: string, stops: readonly string[]): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\uFFFD') end--;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, end); length > 0; length--) {
      if (text.endsWith(stop.slice(0, length))) {
        end = Math.min(end, text.length - length);
        break;
      }
    }
  }
  return text.slice(0, end);
}

/** @param head  id and name of the answer @param completions  [questions × n] */
export function chatAnswer(codec: Codec, asked: Telling, head: JsonObject, completions: readonly Ended[]): JsonObject {
  const prompts = asked.questions.map(({ prompt }) => prompt);
  return {
    ...head,
    object: 'chat.completion',
    choices: completions.map((completion, i) => chatChoice(codec, asked, i, completion)),
    ...(asked.tellsIds && { prompt_token_ids: [...prompts[0]] }),
    usage: usageOf(prompts, completions),
  };
}

/** A choice of `/v1/chat/completions`. */
function chatChoice(codec: Codec, asked: Telling, index: number, completion: Ended): JsonObject {
  const text = textOf(completion, codec, asked.stops);
  const { message, hasCalls } = messageOf(codec, text, asked);
  return {
    index,
    message,
    finish_reason: hasCalls ? 'tool_calls' : FINISH[completion.finishReason],
    logprobs: asked.tellsLogprobs ? { content: contentOf(codec, completion, asked.tellsIds) } : null,
    ...(asked.tellsIds && { token_ids: [...completion.tokens] }),
  };
}

/** An answer as a message: its text, or the calls that it makes. */
export function messageOf(
  codec: Codec,
  text: string,
  { hasTools }: Pick<Telling, 'hasTools'>,
): { readonly message: JsonObject; readonly hasCalls: boolean } {
  const calls = hasTools ? callFormatOf(codec.chatTemplate).read(text) : [];
  if (calls.length === 0 || calls.some(({ flaw }) => flaw !== undefined)) {
    return { message: { role: 'assistant', content: text }, hasCalls: false };
  }
  const toolCalls = calls.flatMap((call, i) => {
    if (call.flaw !== undefined) return [];
    const given = typeof call.given === 'string' ? call.given : JSON.stringify(call.given ?? {});
    return [{ id: `call_${i}`, type: 'function', function: { name: call.name, arguments: given } }];
  });
  const before = text.slice(0, Math.max(0, text.search(/<tool_call>|<function=|\{/))).trim();
  return {
    message: { role: 'assistant', content: before === '' ? null : before, tool_calls: toolCalls },
    hasCalls: true,
  };
}

/** A choice of `/v1/completions`. */
export function completionChoice(
  codec: Codec,
  asked: Telling,
  { index, prompt }: { readonly index: number; readonly prompt: Int32Array },
  completion: Ended,
): JsonObject {
  return {
    index,
    text: textOf(completion, codec, asked.stops),
    finish_reason: FINISH[completion.finishReason],
    logprobs: asked.tellsLogprobs ? listsOf(codec, completion, asked.tellsIds) : null,
    ...(asked.tellsIds && { token_ids: [...completion.tokens], prompt_token_ids: [...prompt] }),
  };
}

/** A choice of `/inference/v1/generate`. */
export function generateChoice(codec: Codec, index: number, completion: Ended): JsonObject {
  return {
    index,
    token_ids: [...completion.tokens],
    logprobs: { content: contentOf(codec, completion, true) },
    finish_reason: FINISH[completion.finishReason],
  };
}

/** @param from  the first token that is told */
export function contentOf(codec: Codec, told: Told, asIds: boolean, from = 0): JsonObject[] {
  return [...told.tokens.subarray(from)].map((id, i) => ({
    token: asIds ? `token_id:${id}` : codec.tokenText(id),
    logprob: drawnLogprob(told, from + i),
    bytes: [...new TextEncoder().encode(codec.tokenText(id))],
    top_logprobs: [],
  }));
}

export function listsOf(codec: Codec, told: Told, asIds: boolean, from = 0): JsonObject {
  const ids = [...told.tokens.subarray(from)];
  return {
    tokens: ids.map((id) => (asIds ? `token_id:${id}` : codec.tokenText(id))),
    token_logprobs: ids.map((_, i) => drawnLogprob(told, from + i)),
    top_logprobs: null,
  };
}

/** Of the distribution that a token was drawn from: at the temperature, among the tokens that were kept. */
function drawnLogprob({ logprobs, keptLogMass }: Told, at: number): number {
  return logprobs[at] - keptLogMass[at];
}

/** Tokens that were read and sampled. */
export function usageOf(prompts: readonly Int32Array[], completions: readonly Ended[]): JsonObject {
  const prompt = prompts.reduce((sum, { length }) => sum + length, 0);
  const completion = completions.reduce((sum, { tokens }) => sum + tokens.length, 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

export function finishOf({ finishReason }: Ended): string {
  return FINISH[finishReason];
}
