/**
 * Text to tokens and back for a whole run: a codec belongs to the run, and its tasks speak text.
 *
 * A closed vocabulary, made by `vocabulary_tokenizer.ts` or by a user's task, is one kind; a pretrained model's own
 * tokenizer, with its chat template, is the other (`packages/models/text/pretrained_codec.ts`).
 */
import { DataError } from '../errors.ts';
import type { Tokenizer } from './tokenizer.ts';

/** A function that may be called, as chat templates take it in `tools`: `{type: 'function', function: {name, …}}`. */
export type ToolSchema = Readonly<Record<string, unknown>>;

/** A turn of a conversation. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** What may be called in all of the conversation; on one of its turns. */
  readonly tools?: readonly ToolSchema[];
  /** Given to the chat template for all of the conversation, as `enable_thinking`; on one of its turns. */
  readonly templateKwargs?: Readonly<Record<string, unknown>>;
  /** The text is a whole prompt that a chat template has rendered already, and the only message. */
  readonly isRendered?: true;
  /**
   * Other members that a chat template reads, by their names: `tool_calls`, `tool_call_id`, `name`, `reasoning_content`;
   * `content: null` if the message had no text. A number that is an object, as `Object(1)`, is a float: 1.0 in Python.
   */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** What a conversation asks, as one text: for logs, and where nothing writes roles. */
export function promptText(prompt: string | readonly Message[]): string {
  return typeof prompt === 'string' ? prompt : prompt.map(({ content }) => content).join('\n');
}

/** What messages give their template besides themselves: of several tools and values those of the last turn. */
export function templateValuesOf(messages: readonly Message[]): Pick<Message, 'tools' | 'templateKwargs'> {
  const last = [...messages].reverse();
  return {
    tools: last.find(({ tools }) => tools !== undefined)?.tools,
    templateKwargs: last.find(({ templateKwargs }) => templateKwargs !== undefined)?.templateKwargs,
  };
}

/**
 * A prompt that was rendered before; undefined: messages are to be rendered.
 *
 * @throws DataError where there is something to render around it
 */
export function renderedBefore(messages: readonly Message[]): string | undefined {
  if (!messages.some(({ isRendered }) => isRendered === true)) return undefined;
  if (messages.length === 1) return messages[0].content;
  const rule = 'the prompt is rendered already (prompt_format: raw), so no turn can be put around it';
  throw new DataError('prompt-rendered', `${rule}; give rows of messages, which the chat template renders.`);
}

/** The texts of messages, for what has no chat template. @throws DataError where a message has more than a text */
export function plainTexts(messages: readonly Message[]): string[] {
  return messages.map(({ content, fields }) => {
    if (fields === undefined) return content;
    const names = Object.keys(fields).join(', ');
    const rule = `a message has ${names}, and without a chat template only its text can be written`;
    throw new DataError('message-fields', `${rule}; take a base that has a template, or leave the row out.`, { names });
  });
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
   * A conversation as text. `asked`, the default: up to where the policy's turn begins; `answered`: with the end of the last
   * turn; `continued`: without it, so that the policy continues that turn. A chat template writes its control tokens
   * around the messages, whose own texts are data.
   */
  render(messages: readonly Message[], until?: 'asked' | 'answered' | 'continued'): string;
}

/** A prompt as text: where it ends with words of the assistant, the policy continues them, as in TRL. */
export function promptOf(codec: Pick<Codec, 'render'>, messages: readonly Message[]): string {
  return codec.render(messages, messages.at(-1)?.role === 'assistant' ? 'continued' : 'asked');
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
    render: (messages) => plainTexts(messages).join(''),
    encode: (text) => tokenizer.encode(text),
    decode: (tokens) => tokenizer.decode(tokens),
    tokenText: (id) => tokenizer.tokenText(id),
    toJSON: () => tokenizer.toJSON(),
    configJSON: () => tokenizer.configJSON(),
  };
}
