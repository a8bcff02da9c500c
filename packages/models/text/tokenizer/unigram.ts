/** Unigram: of all ways to write a piece in tokens, the likeliest. */
import { byteTokens } from './bpe.ts';
import { type Json, type Model, noToken, type Vocabulary } from './parts.ts';

/** An unknown character is as much less likely than the least likely token. */
const UNKNOWN_PENALTY = 10;

interface Node {
  readonly next: Map<string, Node>;
  id?: number;
}

export function unigram(
  { unk_id: unknown, byte_fallback: fallsBack }: Json,
  pieces: readonly (readonly [string, number])[],
  { idOf }: Vocabulary,
): Model['tokensOf'] {
  const root: Node = { next: new Map() };
  let least = Number.POSITIVE_INFINITY;
  for (const [piece, score] of pieces) {
    least = Math.min(least, score);
    let node = root;
    for (const character of piece) {
      let next = node.next.get(character);
      if (next === undefined) {
        next = { next: new Map() };
        node.next.set(character, next);
      }
      node = next;
    }
    node.id = idOf(piece);
  }
  const unknownScore = least - UNKNOWN_PENALTY;
  const unknownId = typeof unknown === 'number' ? unknown : undefined;
  const known = (text: string): readonly number[] => {
    const id = idOf(text);
    if (id !== undefined) return [id];
    const bytes = fallsBack === true ? byteTokens(text, idOf) : undefined;
    if (bytes !== undefined) return bytes;
    if (unknownId === undefined) throw noToken(text, 'the model has no unk_id');
    return [unknownId];
  };
  return (piece) => {
    const characters = [...piece];
    const length = characters.length;
    const scores = new Float64Array(length + 1);
    const begins = new Int32Array(length + 1).fill(-1);
    const isUnknown = new Uint8Array(length + 1);
    const offer = (begin: number, end: number, score: number, isNone: boolean): void => {
      const whole = scores[begin] + score;
      if (begins[end] !== -1 && whole <= scores[end]) return;
      scores[end] = whole;
      begins[end] = begin;
      isUnknown[end] = isNone ? 1 : 0;
    };
    for (let begin = 0; begin < length; begin++) {
      let isSingle = false;
      let node: Node | undefined = root.next.get(characters[begin]);
      for (let end = begin + 1; node !== undefined; end++) {
        if (node.id !== undefined) {
          offer(begin, end, pieces[node.id][1], node.id === unknownId);
          isSingle ||= end === begin + 1;
        }
        node = node.next.get(characters[end]);
      }
      if (!isSingle) offer(begin, begin + 1, unknownScore, true);
    }
    // A row of unknown characters is one unknown token.
    const texts: string[] = [];
    for (let end = length; end > 0; ) {
      let begin = begins[end];
      if (isUnknown[end] === 1) while (begin > 0 && isUnknown[begin] === 1) begin = begins[begin];
      texts.push(characters.slice(begin, end).join(''));
      end = begin;
    }
    return texts.reverse().flatMap(known);
  };
}
