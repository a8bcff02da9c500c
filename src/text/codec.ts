/**
 * Text to tokens and back for a whole run: a codec belongs to the run, and its tasks speak text.
 *
 * A closed vocabulary, made by `vocabulary_tokenizer.ts` or by a user's task, is one kind; a pretrained model's own
 * tokenizer, with its chat template, is the other (`packages/models/text/pretrained_codec.ts`).
 */
import type { Tokenizer } from './tokenizer.ts';

/** A function that may be called, as chat templates take it in `tools`: `{type: 'function', function: {name, …}}`. */
export type ToolSchema = Readonly<Record<string, unknown>>;

/** A turn of a conversation. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** What may be called in all of the conversation; on its first turn. */
  readonly tools?: readonly ToolSchema[];
}

/** What a conversation asks, as one text: for logs, and where nothing writes roles. */
export function promptText(prompt: string | readonly Message[]): string {
  return typeof prompt === 'string' ? prompt : prompt.map(({ content }) => content).join('\n');
}

/** A run's way from text to tokens and back: a closed vocabulary, or the tokenizer of a pretrained model. */
export interface Codec extends Tokenizer {
  /** A completion ends with any of these. */
  readonly stopIds: readonly number[];
  /** What separates two tokens of a closed vocabulary in a text; absent: the codec is a pretrained model's. */
  readonly joint?: string;
  /** Words by which methods speak to the policy, in tokens; there where a run has such methods. */
  readonly words?: ReadonlyMap<string, Int32Array>;
  /** Files of a pretrained model's tokenizer, by name: they go along with its weights, byte for byte. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /** The chat template of a pretrained model, as Jinja. */
  readonly chatTemplate?: string;
  /**
   * A text that comes from outside, as data: nothing in it is a control token when it is encoded. Absent: a text holds none
   * in any case.
   */
  literal?(text: string): string;
  /**
   * A conversation as the text that the policy continues; `answered`: as it ends after the last message. A chat template
   * writes its control tokens around the messages, whose own texts are data.
   */
  render(messages: readonly Message[], until?: 'asked' | 'answered'): string;
}

/** Whether problems are asked in words: those of a closed vocabulary are written as their task writes them. */
export function asksInWords(codec: Codec | undefined): boolean {
  return codec !== undefined && codec.joint === undefined;
}

/** The codec of a closed vocabulary: `<eos>` ends a completion, and messages are joined as they are. */
export function closedCodec(tokenizer: Tokenizer): Codec {
  return {
    vocabSize: tokenizer.vocabSize,
    joint: tokenizer.closed?.pieces === 'words' ? ' ' : '',
    eosTokenId: tokenizer.eosTokenId,
    padTokenId: tokenizer.padTokenId,
    stopIds: [tokenizer.eosTokenId],
    render: (messages) =>
      messages.length === 1 ? messages[0].content : messages.map(({ content }) => content).join(''),
    encode: (text) => tokenizer.encode(text),
    decode: (tokens) => tokenizer.decode(tokens),
    tokenText: (id) => tokenizer.tokenText(id),
    toJSON: () => tokenizer.toJSON(),
    configJSON: () => tokenizer.configJSON(),
  };
}
