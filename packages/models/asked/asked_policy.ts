/** A policy that is asked by a program: texts in, texts with their tokens and log-probs out. */
import { DataError } from '../../../src/errors.ts';
import type { FinishReason } from '../../../src/finish_reason.ts';
import { samplingKey } from '../../../src/grpo/run.ts';
import type { Policy } from '../../../src/model/policy.ts';
import { generateControlled } from '../../../src/model/sampling/controlled_generation.ts';
import {
  type Completion,
  type GenerationSettings,
  generate,
  wholeVocabulary,
} from '../../../src/model/sampling/generation.ts';
import { asksInWords, type Codec, type Message, promptOf } from '../../../src/text/codec.ts';

/** A token as it is sampled. */
export interface GeneratedToken {
  /** Index of the prompt. */
  readonly prompt: number;
  /** Number of its answer, from 0. */
  readonly sample: number;
  readonly token: number;
  /** The answer up to here. */
  readonly text: string;
}

/** How prompts are answered. */
export interface GenerateOptions {
  /** 0, the default, is greedy. */
  readonly temperature?: number;
  /** Most tokens of an answer; default: those that the run trained with, of a model 256. */
  readonly maxTokens?: number;
  /** Answers to each prompt; default 1. */
  readonly n?: number;
  /** Seed of the random draws; default 0. Equal calls give equal answers. */
  readonly seed?: number;
  /** Texts that end an answer, and are left out of it. */
  readonly stop?: string | readonly string[];
  /** Called with each token as it is sampled, but not with the one that says that the answer has ended. */
  readonly onToken?: (token: GeneratedToken) => void;
}

/** An answer. */
export interface GeneratedText {
  readonly text: string;
  /** As sampled; the token that ended it included. */
  readonly tokens: Int32Array;
  /** [tokens] log-prob of each at the temperature, in nats. */
  readonly logprobs: Float32Array;
  /** `eos`: the policy ended it; `length`: the limit did; `stop`: a text of `stop`, or a fixed length, did. */
  readonly finishReason: FinishReason;
}

/** A policy that was opened to be asked. */
export interface AskedPolicy {
  /** What was opened, for people. */
  readonly name: string;
  /**
   * Answers prompts; of a pretrained model each is a message of the user.
   *
   * @returns [prompts][n] answers; prompts that are asked together do not change each other's
   * @throws DataError for a prompt that is empty, too long, or no text of the policy's vocabulary
   */
  generate(prompts: readonly string[], options?: GenerateOptions): Promise<GeneratedText[][]>;
  /**
   * Answers a conversation through the chat template of a pretrained model.
   *
   * @throws DataError `no-chat` where the policy has no chat template, and as `generate`
   */
  chat(messages: readonly Message[], options?: GenerateOptions): Promise<GeneratedText>;
  /** Frees its memory. */
  close(): Promise<void>;
}

/** What answers. */
export interface Answering {
  readonly name: string;
  readonly policy: Policy;
  readonly codec: Codec;
  /** A prompt as it is asked. @throws DataError for what is no text of the vocabulary */
  tokensOf(prompt: string): Int32Array;
  /** How answers end where nothing else is asked for. */
  readonly end: Pick<GenerationSettings, 'maxCompletionTokens' | 'stopIds' | 'fixedCompletionTokens'>;
  close(): Promise<void>;
}

export function askedPolicy(answering: Answering): AskedPolicy {
  const { name, codec } = answering;
  /** Two calls at once would use the same rows. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    name,
    generate: (prompts, options = {}) =>
      inTurn(async () =>
        answers(
          answering,
          prompts.map((prompt) => answering.tokensOf(prompt)),
          options,
        ),
      ),
    chat: (messages, options = {}) =>
      inTurn(async () => {
        if (!asksInWords(codec)) {
          const rule = 'has no chat template: it answers prompts as its task writes them';
          throw new DataError('no-chat', `${name} ${rule}; use generate.`);
        }
        const [[answer]] = await answers(answering, [codec.encode(promptOf(codec, messages))], { ...options, n: 1 });
        return answer;
      }),
    close: () => inTurn(() => answering.close()),
  };
}

/** A request of one completion each, in the order of prompts and samples, numbered from 0 as `sample` numbers them. */
async function answers(
  { name, policy, codec, end }: Answering,
  prompts: readonly Int32Array[],
  { temperature = 0, maxTokens = end.maxCompletionTokens, n = 1, seed = 0, stop = [], onToken }: GenerateOptions,
): Promise<GeneratedText[][]> {
  const stops = [stop].flat().filter((text) => text !== '');
  const { context } = policy.capacity;
  for (const { length } of prompts) {
    if (length > 0 && length + maxTokens <= context) continue;
    const rule = length === 0 ? 'empty; give at least one token' : `${length} tokens, and ${maxTokens} for the answer`;
    const room = length === 0 ? '' : `; ${name} was opened for ${context} in all: shorten it, or lower maxTokens`;
    throw new DataError('too-long', `prompt: ${rule}${room}.`, { length, context });
  }
  const isCut = end.fixedCompletionTokens !== undefined && maxTokens < end.fixedCompletionTokens;
  const settings: GenerationSettings = {
    sampling: wholeVocabulary(temperature),
    samplingKey: samplingKey(seed, 'sample'),
    ...end,
    maxCompletionTokens: maxTokens,
    ...(isCut && { fixedCompletionTokens: undefined, stopIds: [] }),
  };
  if (stops.length === 0 && onToken === undefined) {
    const requests = prompts.map((prompt, i) => ({
      prompt,
      rolloutNumbers: Array.from({ length: n }, (_, k) => i * n + k),
    }));
    const completions = await generate(policy, requests, settings);
    return completions.map((own) => own.map((completion) => generated(completion, codec, stops)));
  }
  const requests = prompts.flatMap((prompt, i) =>
    Array.from({ length: n }, (_, k) => ({ prompt, rolloutNumbers: [i * n + k] })),
  );
  const told = requests.map(() => 0);
  const tell = (tokens: Int32Array, request: number, text: string): void => {
    told[request] = tokens.length;
    onToken?.({ prompt: Math.floor(request / n), sample: request % n, token: tokens[tokens.length - 1], text });
  };
  const completions = await generateControlled(policy, requests, settings, {
    after(tokens, request) {
      const text = codec.decode(tokens);
      tell(tokens, request, beforeStop(text, stops));
      return stops.some((one) => text.includes(one)) ? 'stop' : undefined;
    },
  });
  const all = completions.map(([completion], request) => {
    const answer = generated(completion, codec, stops);
    // The last one of a completion that the limit has ended is not decided about.
    if (answer.finishReason !== 'eos' && told[request] < answer.tokens.length)
      tell(answer.tokens, request, answer.text);
    return answer;
  });
  return prompts.map((_, i) => all.slice(i * n, (i + 1) * n));
}

function generated(completion: Completion, codec: Codec, stops: readonly string[]): GeneratedText {
  const { tokens, logprobs, finishReason } = completion;
  return { text: textOf(completion, codec, stops), tokens, logprobs, finishReason };
}

/** The text of an answer: without the token that ended it, and up to a text that ends it. */
export function textOf(
  { tokens, finishReason }: Pick<Completion, 'tokens' | 'finishReason'>,
  codec: Codec,
  stops: readonly string[],
): string {
  return beforeStop(codec.decode(finishReason === 'eos' ? tokens.subarray(0, -1) : tokens), stops);
}

/** The text before the first of these; all of it where there is none. */
export function beforeStop(text: string, stops: readonly string[]): string {
  const found = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
  return found.length === 0 ? text : text.slice(0, Math.min(...found));
}
