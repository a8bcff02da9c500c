/** The vocabularies of a run's tasks: made one, or held against that of the weights which the run begins with. */
import { ConfigError } from '../errors.ts';
import { asksInWords, type Codec, closedCodec } from './codec.ts';
import type { Tokenizer } from './tokenizer.ts';
import { unionOf } from './vocabulary_tokenizer.ts';

/** What a task is written in, under its name in the run. */
interface Written {
  readonly tokenizer: Tokenizer;
  readonly label: string;
}

/** One codec for all: that of the one vocabulary, or of the union of several closed ones. @throws ConfigError */
export function sharedCodec(tasks: readonly Written[]): Codec {
  const tokenizer = unionOf(tasks.map(({ tokenizer }) => tokenizer));
  if (tokenizer !== undefined) return closedCodec(tokenizer);
  const names = tasks.map(({ label }) => label).join(', ');
  const rule =
    'their vocabularies cannot be one, as some are made of words and some of characters, or of their own kind';
  throw new ConfigError('vocabularies', `tasks: ${names} — ${rule}; train them apart.`, { path: 'tasks', names });
}

/**
 * Whether each task takes as many tokens in a codec as in its own vocabulary. Rows of a data set may be written in one that
 * lacks most bytes: the caller that opens them looks at each row.
 *
 * @throws ConfigError where the codec is a closed vocabulary without a piece of a task's
 */
export function isInTokensOf(tasks: readonly Written[], codec: Codec): boolean {
  if (asksInWords(codec)) return false;
  const known = new Set(Array.from({ length: codec.vocabSize }, (_, id) => codec.tokenText(id)));
  return tasks.every(({ tokenizer, label }) => {
    const { closed, vocabSize } = tokenizer;
    const pieces = closed
      ? [...(closed.furtherSpecials ?? []), ...closed.tokens]
      : Array.from({ length: vocabSize }, (_, id) => tokenizer.tokenText(id));
    const missing = pieces.find((piece) => !known.has(piece));
    const isOfKind = closed === undefined || (closed.pieces === 'words') === (codec.joint === ' ');
    if (missing === undefined && isOfKind) return true;
    if (closed === undefined) return false;
    const rule = isOfKind
      ? `is written with ${JSON.stringify(missing)}, and the vocabulary of model_name_or_path lacks it`
      : `is written in ${closed.pieces}, and the vocabulary of model_name_or_path is not`;
    const remedy = 'give a task that can be written in it, or leave model_name_or_path out: random weights take any';
    const message = `task: ${label} — ${rule} (it has ${shownPieces([...known])}); ${remedy}.`;
    throw new ConfigError('vocabularies', message, { path: 'tasks', task: label, missing });
  });
}

/** Pieces of a vocabulary that a message shows. */
const MOST_PIECES = 24;

function shownPieces(pieces: readonly string[]): string {
  const shown = pieces.slice(0, MOST_PIECES).map((piece) => (piece === ' ' ? '" "' : piece));
  return `${shown.join(' ')}${pieces.length > MOST_PIECES ? ' …' : ''}`;
}
