/** Decoders of a tokenizer.json: the text of tokens. */
import { bytesOfLetters } from './byte_letters.ts';
import { type Json, listOf, partOf } from './parts.ts';
import { replacer } from './patterns.ts';

/** Texts of tokens, which the next decoder takes; the last ones are joined. */
type Decoder = (tokens: readonly string[]) => readonly string[];

/** @throws Error where it is of another kind */
export function decoderOf(part: unknown): (tokens: readonly string[]) => string {
  if ((part ?? null) === null) return (tokens) => tokens.join(' ');
  const decode = chained(part);
  return (tokens) => decode(tokens).join('');
}

const chained = (part: unknown): Decoder => partOf('the decoder', part as Json, DECODERS);

const DECODERS: Readonly<Record<string, (part: Json) => Decoder>> = {
  Sequence: ({ decoders }) => {
    const each = listOf(decoders).map(chained);
    return (tokens) => each.reduce((before, decode) => decode(before), tokens);
  },
  BPEDecoder: ({ suffix }) => {
    return (tokens) =>
      tokens.map((token, i) => token.replaceAll(String(suffix), () => (i === tokens.length - 1 ? '' : ' ')));
  },
  ByteFallback: () => byteFallback,
  ByteLevel: () => (tokens) => [asText(tokens.flatMap((token) => [...bytesOfLetters(token)]))],
  CTC: ctc,
  Fuse: () => (tokens) => [tokens.join('')],
  Metaspace: ({ replacement = '▁', prepend_scheme: scheme }) => {
    const first = scheme === 'never' ? ' ' : '';
    return (tokens) => tokens.map((token, i) => token.replaceAll(String(replacement), i === 0 ? first : ' '));
  },
  Replace: ({ pattern, content }) => {
    const replace = replacer(pattern as Json, String(content));
    return (tokens) => tokens.map(replace);
  },
  Strip: ({ content, start, stop }) => {
    return (tokens) => tokens.map((token) => stripped(token, String(content), Number(start), Number(stop)));
  },
  WordPiece: ({ prefix, cleanup }) => {
    return (tokens) =>
      tokens.map((token, i) => {
        const isContinued = token.startsWith(String(prefix));
        const text = i === 0 ? token : isContinued ? token.slice(String(prefix).length) : ` ${token}`;
        return cleanup === true ? cleanedUp(text) : text;
      });
  },
};

/** Bytes as UTF-8; U+FEFF is a character like others. */
function asText(bytes: readonly number[]): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

/** Rows of tokens such as `<0xE2>` as their characters; a row that is no UTF-8, as a U+FFFD for each byte. */
function byteFallback(tokens: readonly string[]): readonly string[] {
  const texts: string[] = [];
  let bytes: number[] = [];
  const flush = (): void => {
    if (bytes.length === 0) return;
    try {
      texts.push(new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(Uint8Array.from(bytes)));
    } catch {
      texts.push('\ufffd'.repeat(bytes.length));
    }
    bytes = [];
  };
  for (const token of tokens) {
    const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(token)?.[1];
    if (byte !== undefined) {
      bytes.push(Number.parseInt(byte, 16));
      continue;
    }
    flush();
    texts.push(token);
  }
  flush();
  return texts;
}

/** At most so many of a character at each end. */
function stripped(token: string, content: string, start: number, stop: number): string {
  const characters = [...token];
  let begin = 0;
  while (begin < Math.min(start, characters.length) && characters[begin] === content) begin++;
  let cut = 0;
  while (cut < Math.min(stop, characters.length) && characters[characters.length - 1 - cut] === content) cut++;
  return characters.slice(begin, characters.length - cut).join('');
}

/** Speech: a letter that is repeated is one, and silence none. */
function ctc({ pad_token: pad, word_delimiter_token: delimiter, cleanup }: Json): Decoder {
  return (tokens) => {
    const changes = tokens.filter((token, i) => i === 0 || token !== tokens[i - 1]);
    const texts = changes.map((token) => {
      const letter = token.replaceAll(String(pad), '');
      return cleanup === true ? cleanedUp(letter).replaceAll(String(delimiter), ' ') : letter;
    });
    return texts.filter((text) => text !== '');
  };
}

/** Blanks that English has not, in the library's order. */
function cleanedUp(text: string): string {
  const shorter = [
    [' .', '.'],
    [' ?', '?'],
    [' !', '!'],
    [' ,', ','],
    [" ' ", "'"],
    [" n't", "n't"],
    [" 'm", "'m"],
    [' do not', " don't"],
    [" 's", "'s"],
    [" 've", "'ve"],
    [" 're", "'re"],
  ];
  return shorter.reduce((before, [from, to]) => before.replaceAll(from, to), text);
}
