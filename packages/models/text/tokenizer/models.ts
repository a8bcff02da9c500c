/** Models of a tokenizer.json: the tokens of a piece. */
import { bpe } from './bpe.ts';
import { type Json, listOf, type Model, noToken, requireKind, type Vocabulary } from './parts.ts';
import { unigram } from './unigram.ts';

/** @throws Error where it is of another kind, or damaged */
export function modelOf(model: Json): Model {
  const { type = guessedType(model), vocab } = model;
  if (type === 'Unigram') {
    const pieces = listOf<readonly [string, number]>(vocab);
    const vocabulary = vocabularyOf(
      new Map(pieces.map(([piece], id) => [piece, id])),
      pieces.map(([piece]) => piece),
    );
    return { ...vocabulary, tokensOf: unigram(model, pieces, vocabulary) };
  }
  const maker = { BPE: bpe, WordPiece: wordPiece, WordLevel: wordLevel }[String(type)];
  if (maker === undefined) throw new Error(`its model is ${String(type)}; BPE, WordPiece, WordLevel, Unigram are read`);
  const ids = new Map(Object.entries(requireKind('vocabulary', vocab) as Record<string, number>));
  const tokens: string[] = [];
  for (const [token, id] of ids) tokens[id] = token;
  const vocabulary = vocabularyOf(ids, tokens);
  return { ...vocabulary, tokensOf: maker(model, vocabulary) };
}

/** Older files do not say it. */
function guessedType({ merges, vocab, continuing_subword_prefix: prefix }: Json): string | undefined {
  if (merges !== undefined) return 'BPE';
  if (Array.isArray(vocab)) return 'Unigram';
  return prefix === undefined ? undefined : 'WordPiece';
}

function vocabularyOf(ids: ReadonlyMap<string, number>, tokens: readonly string[]): Vocabulary {
  return {
    idOf: (token) => ids.get(token),
    tokenOf: (id) => tokens[id],
    ids: () => ids.values(),
    size: ids.size,
  };
}

type TokensOf = Model['tokensOf'];

/** Whole words. */
function wordLevel({ unk_token: unknown }: Json, { idOf }: Vocabulary): TokensOf {
  return (piece) => [idOf(piece) ?? unknownId(unknown, idOf, piece)];
}

/** The longest token first, then the longest that continues it, … */
function wordPiece(model: Json, { idOf }: Vocabulary): TokensOf {
  const { unk_token: unknown, continuing_subword_prefix: prefix = '##', max_input_chars_per_word: most = 100 } = model;
  return (piece) => {
    const characters = [...piece];
    const tokens: number[] = [];
    if (characters.length > Number(most)) return [unknownId(unknown, idOf, piece)];
    for (let begin = 0; begin < characters.length; ) {
      let end = characters.length;
      let id: number | undefined;
      for (; end > begin; end--) {
        const text = characters.slice(begin, end).join('');
        id = idOf(begin === 0 ? text : String(prefix) + text);
        if (id !== undefined) break;
      }
      if (id === undefined) return [unknownId(unknown, idOf, piece)];
      tokens.push(id);
      begin = end;
    }
    return tokens;
  };
}

function unknownId(unknown: unknown, idOf: Model['idOf'], piece: string): number {
  const id = idOf(String(unknown));
  if (id === undefined) throw noToken(piece, `the vocabulary has no unk_token ${JSON.stringify(unknown ?? null)}`);
  return id;
}
