/**
 * The tokenizer of a user's task, watched: an id beyond its vocabulary would be a row beyond the embedding, which no
 * kernel checks.
 */
import type { Tokenizer } from '../text/tokenizer.ts';
import { shown, type TaskCalls } from './task_calls.node.ts';

/** @throws PluginError where eos or pad is no token of its vocabulary */
export function watchTokenizer(own: Tokenizer, calls: TaskCalls): Tokenizer {
  const { vocabSize } = own;
  const ids = `give whole numbers from 0 to ${vocabSize - 1}, as vocabSize is ${vocabSize}`;
  const isId = (value: unknown): boolean =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) < vocabSize;
  const short = <R>(part: string, given: unknown, work: () => R): R =>
    calls.unlimited(`tokenizer.${part}`, [given], work);
  const text = (part: string, given: unknown, value: unknown): string => {
    if (typeof value === 'string') return value;
    throw calls.broken(`tokenizer.${part}`, [given], `gave ${shown(value)}`, 'a text');
  };
  for (const special of ['eosTokenId', 'padTokenId'] as const) {
    if (!isId(own[special])) throw calls.broken('tokenizer', [], `has the ${special} ${shown(own[special])}`, ids);
  }
  const encode = (given: string): Int32Array => {
    const tokens = short('encode', given, () => own.encode(given));
    const fail = (what: string, remedy: string): never => {
      throw calls.broken('tokenizer.encode', [given], what, remedy);
    };
    if (!Array.isArray(tokens) && !ArrayBuffer.isView(tokens))
      fail(`gave ${shown(tokens)}`, 'an Int32Array of token ids');
    for (let place = 0; place < tokens.length; place++) {
      if (!isId(tokens[place])) fail(`gave the token id ${shown(tokens[place])} at place ${place}`, ids);
    }
    return tokens instanceof Int32Array ? tokens : Int32Array.from(tokens);
  };
  return {
    vocabSize,
    eosTokenId: own.eosTokenId,
    padTokenId: own.padTokenId,
    ...(own.closed !== undefined && { closed: own.closed }),
    encode,
    decode: (tokens) =>
      text(
        'decode',
        tokens,
        short('decode', tokens, () => own.decode(tokens)),
      ),
    tokenText: (id) =>
      text(
        'tokenText',
        id,
        short('tokenText', id, () => own.tokenText(id)),
      ),
    toJSON: () => own.toJSON(),
    configJSON: () => own.configJSON(),
  };
}
