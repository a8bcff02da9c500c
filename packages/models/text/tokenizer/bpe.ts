/** Byte-pair encoding: pairs of a piece's tokens become one, the pair that was learned first before others. */
import { type Json, listOf, type Model, noToken, type Vocabulary } from './parts.ts';

/** Pieces whose tokens are kept, and their longest. */
const MOST_KEPT = 10_000;
const LONGEST_KEPT = 256;

/** Above every id, so that two of them are one whole number. */
const MOST_IDS = 2 ** 26;

export function bpe(model: Json, { idOf }: Vocabulary): Model['tokensOf'] {
  const { ignore_merges: looksUp, dropout } = model;
  if (typeof dropout === 'number' && dropout > 0) {
    throw new Error(`its BPE model drops merges at random (dropout ${dropout}), so a text has no fixed tokens`);
  }
  const letters = lettersOf(model, idOf);
  const merge = mergerOf(model, idOf);
  const kept = new Map<string, readonly number[]>();
  return (piece) => {
    const whole = looksUp === true ? idOf(piece) : undefined;
    if (whole !== undefined) return [whole];
    const known = kept.get(piece);
    if (known !== undefined) return known;
    const tokens = merge(letters(piece));
    if (piece.length <= LONGEST_KEPT) {
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(piece, tokens);
    }
    return tokens;
  };
}

/** The tokens of a text's bytes, such as `<0x0A>`; undefined where one of them is missing. */
export function byteTokens(text: string, idOf: Model['idOf']): number[] | undefined {
  const ids = Array.from(new TextEncoder().encode(text), (byte) =>
    idOf(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  );
  return ids.every((id) => id !== undefined) ? ids : undefined;
}

/** A piece as the tokens of its letters, before any pair is one. */
function lettersOf(model: Json, idOf: Model['idOf']): (piece: string) => number[] {
  const { unk_token: unknown, fuse_unk: fuses, byte_fallback: fallsBack } = model;
  const { continuing_subword_prefix: prefix, end_of_word_suffix: suffix } = model;
  const unknownId = typeof unknown === 'string' ? idOf(unknown) : undefined;
  return (piece) => {
    const characters = [...piece];
    const tokens: number[] = [];
    let waiting = false; // an unknown token, which is written when a known one follows
    const flush = (): void => {
      if (waiting && unknownId !== undefined) tokens.push(unknownId);
      waiting = false;
    };
    characters.forEach((character, i) => {
      const begun = i > 0 && typeof prefix === 'string' ? prefix + character : character;
      const text = i === characters.length - 1 && typeof suffix === 'string' ? begun + suffix : begun;
      const id = idOf(text);
      if (id !== undefined) {
        flush();
        tokens.push(id);
        return;
      }
      const bytes = fallsBack === true ? byteTokens(text, idOf) : undefined;
      if (bytes !== undefined) {
        tokens.push(...bytes); // the library writes a waiting unknown token after them
      } else if (typeof unknown === 'string') {
        if (unknownId === undefined) throw noToken(text, `the vocabulary has no unk_token ${JSON.stringify(unknown)}`);
        if (fuses !== true) flush();
        waiting = true;
      }
    });
    flush();
    return tokens;
  };
}

function mergerOf(model: Json, idOf: Model['idOf']): (tokens: number[]) => readonly number[] {
  const { merges, continuing_subword_prefix: prefix } = model;
  const skipped = typeof prefix === 'string' ? prefix.length : 0;
  const ranks = new Map<number, number>(); // of a pair of ids
  const made: number[] = [];
  listOf<string | readonly string[]>(merges).forEach((pair, rank) => {
    const [left, right] = typeof pair === 'string' ? pair.split(' ') : pair;
    const ids = [idOf(left), idOf(right), idOf(left + right.slice(skipped))];
    const [a, b, whole] = ids;
    if (a === undefined || b === undefined || whole === undefined) return; // it can never be made
    ranks.set(a * MOST_IDS + b, rank);
    made[rank] = whole;
  });
  return (tokens) => {
    const length = tokens.length;
    if (length < 2) return tokens;
    const next = tokens.map((_, i) => i + 1);
    const before = tokens.map((_, i) => i - 1);
    const isGone = new Uint8Array(length);
    const queue = new SmallestFirst();
    const rankAt = (at: number): number | undefined =>
      next[at] < length ? ranks.get(tokens[at] * MOST_IDS + tokens[next[at]]) : undefined;
    const offer = (at: number): void => {
      const rank = rankAt(at);
      if (rank !== undefined) queue.push(rank * length + at);
    };
    for (let at = 0; at < length - 1; at++) offer(at);
    for (let first = queue.pop(); first !== undefined; first = queue.pop()) {
      const at = first % length;
      const whole = made[(first - at) / length];
      const rank = isGone[at] === 1 ? undefined : rankAt(at);
      if (rank === undefined || made[rank] !== whole) continue; // the pair was changed by another
      const right = next[at];
      tokens[at] = whole;
      isGone[right] = 1;
      next[at] = next[right];
      if (next[right] < length) before[next[right]] = at;
      if (before[at] >= 0) offer(before[at]);
      offer(at);
    }
    return tokens.filter((_, i) => isGone[i] === 0);
  };
}

/** A heap of numbers. */
class SmallestFirst {
  readonly #heap: number[] = [];

  push(value: number): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(value);
    for (let parent = (at - 1) >> 1; at > 0 && heap[parent] > value; parent = (at - 1) >> 1) {
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = value;
  }

  pop(): number | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const value = heap.pop();
    if (heap.length === 0 || value === undefined) return first;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1] < heap[child]) child++;
      if (heap[child] >= value) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = value;
    return first;
  }
}
