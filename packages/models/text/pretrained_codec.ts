/**
 * The codec of a pretrained model: its own tokenizer (`tokenizer.json`) and its own chat template.
 *
 * It is not injective: texts can be written in several ways, so verifiers judge what was decoded. Special tokens are
 * decoded as their text, so that one inside an answer is seen. Bytes that are no UTF-8, and ids that the embedding has
 * and the vocabulary has not, decode to U+FFFD.
 */

import { DataError } from '../../../src/errors.ts';
import { type Codec, type Message, plainTexts, renderedBefore, templateValuesOf } from '../../../src/text/codec.ts';
import { beginningOf, tokenText } from './beginning.ts';
import { compileChatTemplate, templateDate } from './chat_template.ts';
import { endOfTurn, upToEnd } from './end_of_turn.ts';
import { controlTexts, literalMessages, literalText } from './literal_text.ts';
import { Tokenizer } from './tokenizer/tokenizer.ts';
import { largestId, requireBounded } from './tokenizer_bounds.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a model's files say of its text. */
export interface TokenizerFiles {
  /** tokenizer.json */
  readonly tokenizer: Json;
  /** tokenizer_config.json */
  readonly config: Json;
  /** Jinja; undefined where the model has none: messages are then joined as they are. */
  readonly chatTemplate: string | undefined;
  /** Tokens that end an answer, as the model's files list them; may be empty. */
  readonly eosTokenIds: readonly number[];
  /** The model that they are of, for messages. */
  readonly source: string;
}

export interface PretrainedCodecOptions {
  /** Rows of the embedding: at least the vocabulary; what is beyond it is padding. */
  readonly vocabSize: number;
  /** Given to the template besides the messages, as `enable_thinking`; `strftime_now` is the date that it writes. */
  readonly chatTemplateKwargs?: Json;
}

/** The chat template of a tokenizer_config.json: one, or a list of named ones. */
export function chatTemplateIn({ chat_template: template }: Json): string | undefined {
  if (typeof template === 'string') return template;
  const named: readonly Json[] = Array.isArray(template) ? template : [];
  const chosen = named.find(({ name }) => name === 'default')?.template;
  return typeof chosen === 'string' ? chosen : undefined;
}

const REPLACEMENT = '\uFFFD';

/**
 * @throws DataError where the tokenizer is of a kind that is not read, is larger than the embedding, or has no token
 *   that ends an answer
 */
export function pretrainedCodec(files: TokenizerFiles, options: PretrainedCodecOptions): Codec {
  const { config, source, chatTemplate } = files;
  const { vocabSize, chatTemplateKwargs: { strftime_now: now, ...chatTemplateKwargs } = {} } = options;
  requireRoom(source, [largestId(files.tokenizer)], vocabSize); // before there is a list with a place for each id
  const tokenizer = openTokenizer(files);
  const idOf = (key: string): number | undefined => {
    const text = tokenText(config[key]);
    return text === undefined ? undefined : tokenizer.idOf(text);
  };
  requireRoom(source, tokenizer.ids(), vocabSize);
  const eos = idOf('eos_token');
  const named = stopIdsOf(files, eos, vocabSize);
  const namedEnd = eos !== undefined && named.includes(eos) ? eos : named[0];
  const template =
    chatTemplate === undefined ? undefined : compileChatTemplate(chatTemplate, source, templateDate(now, source));
  const specials = specialTexts(config);
  const beginning = beginningOf(files.tokenizer, config);
  const controls = new Set(controlTexts(files.tokenizer, named));
  const valuesFor = (messages: readonly Message[], isAsked: boolean): Json => ({
    ...specials,
    tools: templateValuesOf(messages).tools ?? null,
    add_generation_prompt: isAsked,
    ...chatTemplateKwargs,
    ...templateValuesOf(messages).templateKwargs,
  });
  // A base may have the template of its instruct model, and still name the end of a text as its only end.
  const turnEnd =
    template &&
    endOfTurn(
      (messages) => template.render(messages, valuesFor(messages, false)),
      (text) => tokenizer.encode(text),
      (id) => named.includes(id) || controls.has(tokenizer.tokenOf(id) ?? ''),
    );
  const eosTokenId = turnEnd ?? namedEnd;
  const stopIds = [...new Set([...named, eosTokenId])];
  const decode = decoderOf({
    hasToken: (id) => tokenizer.tokenOf(id) !== undefined,
    decode: (ids) => tokenizer.decode(ids),
  });
  const encodedBy = (opened: Tokenizer) => (text: string) => Int32Array.from(opened.encode(text));
  const { literal, encode } = literalText(files.tokenizer, stopIds, encodedBy(tokenizer), (renamed) =>
    encodedBy(openTokenizer({ ...files, tokenizer: renamed })),
  );
  return {
    vocabSize,
    eosTokenId,
    padTokenId: idOf('pad_token') ?? namedEnd,
    stopIds,
    ...(chatTemplate !== undefined && { chatTemplate }),
    encode,
    literal,
    decode,
    tokenText: (id) => decode([id]),
    render: (messages, until = 'asked') => {
      const rendered = renderedBefore(messages);
      if (rendered !== undefined) return rendered;
      if (template === undefined) return plainPrompt(messages, beginning);
      const written = literalMessages(messages, literal);
      const text = template.render(written, valuesFor(written, until === 'asked'));
      return until === 'continued' ? upToEnd(text, written) : text;
    },
    toJSON: () => ({ ...files.tokenizer }),
    configJSON: () => ({ ...config }),
  };
}

/** @throws DataError where a token has no row in the embedding */
export function requireRoom(source: string, ids: Iterable<number>, vocabSize: number): void {
  let largest = -1;
  for (const id of ids) largest = Math.max(largest, id);
  if (largest < vocabSize) return;
  const rule = `the tokenizer's largest id is ${largest}, and the embedding has ${vocabSize} rows; take the tokenizer of this model`;
  throw new DataError('tokenizer-too-large', `${source}: ${rule}.`, { largest, vocabSize });
}

/** Ids that the vocabulary has not decode to U+FFFD, between what surrounds them. */
export function decoderOf({
  hasToken,
  decode,
}: {
  readonly hasToken: (id: number) => boolean;
  readonly decode: (ids: number[]) => string;
}): (tokens: ArrayLike<number>) => string {
  const decodeKnown = (ids: number[]): string => (ids.length === 0 ? '' : decode(ids));
  return (tokens) => {
    const ids = Array.from(tokens);
    if (ids.every(hasToken)) return decodeKnown(ids);
    const texts: string[] = [];
    let begin = 0;
    ids.forEach((id, i) => {
      if (hasToken(id)) return;
      texts.push(decodeKnown(ids.slice(begin, i)), REPLACEMENT);
      begin = i + 1;
    });
    return texts.join('') + decodeKnown(ids.slice(begin));
  };
}

/** @throws DataError where a part of it is not known, damaged, or asks for work without end */
export function openTokenizer({ tokenizer, source }: Pick<TokenizerFiles, 'tokenizer' | 'source'>): Tokenizer {
  try {
    requireBounded(tokenizer);
    return new Tokenizer(tokenizer);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataError('tokenizer-unsupported', `${source}: this tokenizer is not read (${reason}).`, { reason });
  }
}

/** Every token that ends an answer. @throws DataError where none of them is known */
export function stopIdsOf(
  { eosTokenIds, source }: Pick<TokenizerFiles, 'eosTokenIds' | 'source'>,
  eos: number | undefined,
  vocabSize: number,
): number[] {
  const ids = [...new Set([...eosTokenIds, ...(eos === undefined ? [] : [eos])])];
  const bad = ids.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabSize);
  if (bad !== undefined) {
    throw new DataError('bad-eos', `${source}: eos_token_id ${bad} — the model's ids end at ${vocabSize - 1}.`, {
      bad,
    });
  }
  if (ids.length > 0) return ids;
  const rule =
    'no token ends an answer; give eos_token_id in generation_config.json, or eos_token in tokenizer_config.json';
  throw new DataError('no-eos', `${source}: ${rule}.`);
}

/** bos_token, eos_token, …, as templates name them. */
function specialTexts(config: Json): Record<string, string> {
  const entries = Object.entries(config).map(([key, value]) => [key, tokenText(value)] as const);
  return Object.fromEntries(entries.filter(([key, text]) => key.endsWith('_token') && text !== undefined)) as Record<
    string,
    string
  >;
}

/** Without a template: the texts themselves, after what begins every text. */
export function plainPrompt(messages: readonly Message[], beginning: string): string {
  return beginning + plainTexts(messages).join('\n');
}
