/**
 * A flat arena as pieces of immutable tensors: a slot that is written becomes one tensor, and so does one that is read.
 *
 * tfjs has no views and no writes in place, while slots overlap: a projection is rows of a fused matrix and part of
 * all weights. So an arena is a list of pieces that do not overlap, each a range of some tensor. Writing a range cuts
 * the pieces under it, which copies nothing; reading one that no single tensor holds copies it together, once.
 */
import * as tf from '@tensorflow/tfjs';

/** A kept tensor and how many pieces lie in it; undefined values are zeros. */
interface Source {
  readonly values: tf.Tensor1D | undefined;
  pieces: number;
}

/** Elements [begin, end) of the arena: those of `source` from `at` on. */
interface Piece {
  readonly begin: number;
  readonly end: number;
  readonly source: Source;
  readonly at: number;
}

export class TensorArena {
  /** Ascending, without gaps. */
  #pieces: Piece[];

  /** @param length elements, zeros at first */
  constructor(length: number) {
    this.#pieces = [{ begin: 0, end: length, source: { values: undefined, pieces: 1 }, at: 0 }];
  }

  /** Elements [begin, end) as one flat tensor, which belongs to the arena. */
  read(begin: number, end: number): tf.Tensor1D {
    const pieces = this.#pieces.filter((piece) => piece.begin < end && piece.end > begin);
    const [first] = pieces;
    if (pieces.length === 1 && first !== undefined && first.begin === begin && first.end === end) {
      const { values } = first.source;
      if (values !== undefined && values.size === end - begin) return values;
    }
    const joined = tf.tidy(() => tf.concat1d(pieces.map((piece) => partOf(piece, begin, end))));
    this.write(begin, end, joined);
    return joined;
  }

  /** The number of pieces that [begin, end) is made of. */
  piecesIn(begin: number, end: number): number {
    return this.#pieces.filter((piece) => piece.begin < end && piece.end > begin).length;
  }

  /** Replaces elements [begin, end). @param values kept and disposed by the arena from here on; undefined: zeros */
  write(begin: number, end: number, values: tf.Tensor1D | undefined): void {
    if (begin === end) {
      values?.dispose();
      return;
    }
    const source: Source = { values: values && tf.keep(values), pieces: 1 };
    const before = this.#pieces.filter((piece) => piece.begin < begin).map((piece) => cut(piece, piece.begin, begin));
    const after = this.#pieces.filter((piece) => piece.end > end).map((piece) => cut(piece, end, piece.end));
    const old = this.#pieces;
    this.#pieces = [...before, { begin, end, source, at: 0 }, ...after];
    for (const piece of this.#pieces) piece.source.pieces++;
    source.pieces--; // it began with its one
    for (const piece of old) release(piece.source);
  }

  dispose(): void {
    for (const { source } of this.#pieces) release(source);
    this.#pieces = [];
  }
}

/** The part of a piece before `end` and from `begin` on. */
function cut(piece: Piece, begin: number, end: number): Piece {
  const from = Math.max(begin, piece.begin);
  return { begin: from, end: Math.min(end, piece.end), source: piece.source, at: piece.at + from - piece.begin };
}

/** What a piece has of [begin, end), as a tensor of the current tidy. */
function partOf(piece: Piece, begin: number, end: number): tf.Tensor1D {
  const part = cut(piece, begin, end);
  const length = part.end - part.begin;
  return part.source.values === undefined ? tf.zeros([length]) : tf.slice1d(part.source.values, part.at, length);
}

function release(source: Source): void {
  source.pieces--;
  if (source.pieces === 0) source.values?.dispose();
}
