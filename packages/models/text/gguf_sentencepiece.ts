/**
 * SentencePiece's BPE in the metadata of a GGUF file (`tokenizer.ggml.model` llama) as parts of tokenizer.json. llama.cpp joins
 * the two neighbours whose joint piece has the highest score; the merges here are all ways to cut each piece in two, in the
 * order of scores, as transformers converts such a model. What is no piece becomes bytes, or the unknown token.
 *
 * Followed are transformers' rules for one thing that llama.cpp does otherwise: if two overlapping pairs make the same piece,
 * such as `a`+`aa` and `aa`+`a`, the longer left side is first, and not the pair further left.
 */
import { DataError } from '../../../src/errors.ts';
import { bpeModel } from '../../../src/text/tokenizer_json.ts';

/** `tokenizer.ggml.model` */
export const SENTENCE_PIECE = 'llama';

/** `tokenizer.ggml.token_type` */
export const TOKEN_TYPE = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

type Pair = readonly [left: string, right: string];
type Part = Readonly<Record<string, unknown>>;

const BLANKS: Part = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
const TO_BLANKS: Part = { type: 'Replace', pattern: { String: '▁' }, content: ' ' };

/** How a text becomes pieces, and they a text. @param prefix  whether a blank is put before the text */
export function pieceRules(prefix: boolean): { readonly normalizer: Part; readonly decoder: Part } {
  const strip = { type: 'Strip', content: ' ', start: 1, stop: 0 };
  return {
    normalizer: prefix ? { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, BLANKS] } : BLANKS,
    decoder: {
      type: 'Sequence',
      decoders: [TO_BLANKS, { type: 'ByteFallback' }, { type: 'Fuse' }, ...(prefix ? [strip] : [])],
    },
  };
}

/**
 * @param get  metadata by its key without `tokenizer.ggml.`
 * @param kinds  `token_type` of each token
 * @throws DataError where there are no scores, or those of a Unigram model
 */
export function sentencePiece(
  get: (key: string) => unknown,
  tokens: readonly string[],
  kinds: readonly unknown[],
  file: string,
): Part {
  const scores = get('scores');
  if (!Array.isArray(scores) || scores.length !== tokens.length || kinds.length !== tokens.length) {
    throw unread(file, 'must have a score and a token_type for each of its tokens');
  }
  const { normal, unknown, userDefined, unused, byte } = TOKEN_TYPE;
  const joined: readonly unknown[] = [normal, userDefined, unused];
  const isJoined = kinds.map((kind) => joined.includes(kind));
  // BPE's scores are the numbers of its merges; those of Unigram are logarithms.
  if (scores.some((score, id) => isJoined[id] && !Number.isInteger(score))) {
    throw unread(file, 'has the scores of a Unigram model, and BPE is read');
  }
  return {
    ...pieceRules(get('add_space_prefix') !== false),
    pre_tokenizer: null,
    model: {
      ...bpeModel({
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges: mergesOf(
          tokens.filter((_, id) => isJoined[id]),
          scores.filter((_, id) => isJoined[id]) as number[],
        ),
      }),
      unk_token: tokens[Number(get('unknown_token_id') ?? kinds.indexOf(unknown))] ?? null,
      fuse_unk: true,
      byte_fallback: kinds.includes(byte),
    },
  };
}

/** Pieces as they are joined: highest score first, then the longest left side. */
function mergesOf(pieces: readonly string[], scores: readonly number[]): Pair[] {
  const known = new Set(pieces);
  const order = pieces.map((_, i) => i).sort((a, b) => (scores[b] as number) - (scores[a] as number));
  return order.flatMap((i) => cutsOf(pieces[i] as string, known));
}

function cutsOf(piece: string, known: ReadonlySet<string>): Pair[] {
  const cuts: Pair[] = [];
  for (let at = piece.length - 1; at > 0; at--) {
    const [left, right] = [piece.slice(0, at), piece.slice(at)];
    if (known.has(left) && known.has(right)) cuts.push([left, right]);
  }
  return cuts;
}

/**
 * The inverse: a score for each piece that merges make, in their order.
 *
 * @param pieces  the pieces that merges make, and those that they join
 * @returns undefined where no scores have these merges: some ways to make a piece are missing, or not beside each other
 */
export function scoresOf(
  merges: readonly Pair[],
  pieces: ReadonlySet<string>,
): ReadonlyMap<string, number> | undefined {
  const scores = new Map<string, number>();
  let [made, ways] = ['', 0];
  for (const [left, right] of merges) {
    const piece = left + right;
    if (piece !== made) {
      if (scores.has(piece) || ways > 0) return undefined;
      scores.set(piece, -scores.size);
      [made, ways] = [piece, cutsOf(piece, pieces).length];
    }
    ways--;
  }
  return ways === 0 ? scores : undefined;
}

function unread(file: string, rule: string): DataError {
  const remedy = 'take the folder that has its tokenizer.json';
  return new DataError(
    'tokenizer-unsupported',
    `${file}: tokenizer.ggml.model "${SENTENCE_PIECE}" — ${rule}; ${remedy}.`,
  );
}
