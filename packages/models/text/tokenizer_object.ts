/**
 * The codec of a tokenizer object that a program has already: one of `@huggingface/transformers` (3 and 4) or of
 * `@xenova/transformers` (2), known by its shape. Neither package is needed here.
 */

import { DataError } from '../../../src/errors.ts';
import { type Codec, type Message, renderedBefore, templateValuesOf } from '../../../src/text/codec.ts';
import { beginningOf } from './beginning.ts';
import { upToEnd } from './end_of_turn.ts';
import { literalMessages, literalText } from './literal_text.ts';
import { decoderOf, openTokenizer, plainPrompt, requireRoom, stopIdsOf } from './pretrained_codec.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the tokenizers of these packages have in common. */
export interface TokenizerObject {
  (text: string, options: Json): { readonly input_ids: unknown };
  decode(ids: number[], options: Json): string;
  apply_chat_template(messages: Message[], options: Json): unknown;
  readonly chat_template?: unknown;
  readonly bos_token?: unknown;
  readonly add_bos_token?: unknown;
  readonly eos_token_id?: unknown;
  readonly pad_token_id?: unknown;
  /** Version 2, which has no `eos_token_id`: the text of a token by its key in tokenizer_config.json. */
  getToken?(key: string): unknown;
  /** Version 4. */
  get_vocab?(): ReadonlyMap<string, number> | Readonly<Record<string, number>>;
  /** Versions 2 and 3: tokens by id. */
  readonly model?: { readonly vocab?: readonly unknown[] } | null;
}

/** What a tokenizer's object alone does not tell, and a run needs. */
export interface TokenizerObjectOptions {
  /** Rows of the model's embedding. */
  readonly vocabSize: number;
  /** Tokens that end an answer besides the tokenizer's own, as generation_config.json lists them. */
  readonly eosTokenIds?: readonly number[];
  /** Given to the chat template besides the messages, as `enable_thinking`. */
  readonly chatTemplateKwargs?: Json;
  /**
   * tokenizer.json and what belongs to it, by name, which an object does not have: they go along with the trained
   * weights. The codec of `openPretrained` has those of the model.
   */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const SOURCE = 'tokenizer';

/** How ids become text: special tokens as their text, and no blank moved. */
const AS_IT_IS = { skip_special_tokens: false, clean_up_tokenization_spaces: false };

/**
 * Prompts, answers and verdicts through a tokenizer object.
 *
 * @throws DataError where the object is none, where a token has no row in the embedding, where none ends an answer, or where
 *   the tokenizer's files are not given
 *
 * ```ts
 * const tokenizer = await AutoTokenizer.from_pretrained('HuggingFaceTB/SmolLM2-135M-Instruct');
 * const { codec: { files }, model } = await openPretrained(findModel('./smollm2'));
 * const codec = codecOf(tokenizer, { vocabSize: model.shape.vocabSize, files });
 * const tasks = await createTasks(config, { codec });
 * ```
 */
export function codecOf(tokenizer: TokenizerObject, options: TokenizerObjectOptions): Codec {
  requireShape(tokenizer);
  const { vocabSize, eosTokenIds = [], chatTemplateKwargs = {}, files } = options;
  const tokenizerJson = jsonOf(files, 'tokenizer.json');
  const configJson = jsonOf(files, 'tokenizer_config.json') ?? {};
  if (tokenizerJson === undefined) throw noFile();
  const known = idsOf(tokenizer);
  requireRoom(SOURCE, known, vocabSize);
  const eos = idAt(tokenizer.eos_token_id) ?? idOfKey(tokenizer, 'eos_token');
  const stopIds = stopIdsOf({ eosTokenIds, source: SOURCE }, eos, vocabSize);
  const eosTokenId = eos ?? stopIds[0];
  const decode = decoderOf({ hasToken: (id) => known.has(id), decode: (ids) => tokenizer.decode(ids, AS_IT_IS) });
  const { add_bos_token, bos_token } = tokenizer;
  const beginning = beginningOf(tokenizerJson, { add_bos_token, bos_token });
  const asked = { tokenize: false, add_generation_prompt: true, ...chatTemplateKwargs };
  // An object cannot be asked to leave control tokens alone; its files can be read so.
  const { literal, encode } = literalText(
    tokenizerJson,
    stopIds,
    (text) => encoded(tokenizer, text),
    (renamed) => {
      const opened = openTokenizer({ tokenizer: renamed, source: SOURCE });
      return (text) => Int32Array.from(opened.encode(text));
    },
  );
  return {
    vocabSize,
    eosTokenId,
    padTokenId: idAt(tokenizer.pad_token_id) ?? eosTokenId,
    stopIds,
    files,
    ...(typeof tokenizer.chat_template === 'string' && { chatTemplate: tokenizer.chat_template }),
    encode,
    literal,
    decode,
    tokenText: (id) => decode([id]),
    render: (messages, until = 'asked') => {
      const before = renderedBefore(messages);
      if (before !== undefined) return before;
      if ((tokenizer.chat_template ?? null) === null) return plainPrompt(messages, beginning);
      const written = literalMessages(messages, literal);
      const { tools, templateKwargs } = templateValuesOf(written);
      const text = rendered(tokenizer, written, {
        ...asked,
        add_generation_prompt: until === 'asked',
        ...(tools && { tools }),
        ...templateKwargs,
      });
      return until === 'continued' ? upToEnd(text, written) : text;
    },
    toJSON: () => tokenizerJson,
    configJSON: () => configJson,
  };
}

/** Called, not by its `encode`: that one takes its options in another place in version 2. */
function encoded(tokenizer: TokenizerObject, text: string): Int32Array {
  const options = { add_special_tokens: false, return_tensor: false, padding: false, truncation: false };
  const { input_ids: ids } = tokenizer(text, options);
  if (Array.isArray(ids) && ids.every((id) => Number.isInteger(id))) return Int32Array.from(ids);
  throw notOne(`gave no list of ids for ${JSON.stringify(text.slice(0, 40))}`);
}

function rendered(tokenizer: TokenizerObject, messages: readonly Message[], options: Json): string {
  let text: unknown;
  try {
    // Its interpreter takes a float that is an object for one without members; as JSON it is a number.
    text = tokenizer.apply_chat_template(JSON.parse(JSON.stringify(messages)) as Message[], options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataError('chat-template', `${SOURCE}: the chat template failed: ${reason}.`, { reason });
  }
  if (typeof text === 'string') return text;
  throw notOne('gave no text for a conversation');
}

function requireShape(tokenizer: TokenizerObject): void {
  const has = (name: 'decode' | 'apply_chat_template'): boolean => typeof tokenizer?.[name] === 'function';
  if (typeof tokenizer === 'function' && has('decode') && has('apply_chat_template')) return;
  throw notOne('is not called with a text, or has no decode() or apply_chat_template()');
}

/** Ids that the vocabulary has. */
function idsOf(tokenizer: TokenizerObject): ReadonlySet<number> {
  const vocabulary = tokenizer.get_vocab?.();
  if (vocabulary instanceof Map) return new Set(vocabulary.values());
  if (vocabulary !== undefined) return new Set(Object.values(vocabulary as Readonly<Record<string, number>>));
  const tokens = tokenizer.model?.vocab;
  if (!Array.isArray(tokens)) throw notOne('says nothing of its vocabulary');
  return new Set(tokens.flatMap((token, id) => (token === undefined ? [] : [id])));
}

function idAt(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function idOfKey(tokenizer: TokenizerObject, key: string): number | undefined {
  const text = tokenizer.getToken?.(key);
  const id = typeof text === 'string' ? tokenizer.model?.vocab?.indexOf(text) : undefined;
  return id === -1 ? undefined : id;
}

function jsonOf(files: ReadonlyMap<string, Uint8Array>, name: string): Record<string, unknown> | undefined {
  const bytes = files.get(name);
  return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>);
}

function noFile(): DataError {
  const remedy = 'give those of the model, such as the codec of openPretrained has them';
  return new DataError('no-tokenizer', `${SOURCE}: files has no tokenizer.json; ${remedy}.`);
}

function notOne(what: string): DataError {
  const rule = 'give a tokenizer of @huggingface/transformers or @xenova/transformers';
  return new DataError('tokenizer-unsupported', `${SOURCE}: the object ${what}; ${rule}.`);
}
