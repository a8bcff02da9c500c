/** A vocabulary as text: what each token adds to a completion, for methods that restrict tokens. */
import type { TaskSet } from '../../../data/task_set.ts';
import type { WrittenVocabulary } from '../../token_control.ts';

type Codec = TaskSet['codec'];

const KNOWN = new WeakMap<Codec, WrittenVocabulary>();

/** The vocabulary of a codec; the same object at each call. */
export function writtenVocabulary(codec: Codec): WrittenVocabulary {
  const cached = KNOWN.get(codec);
  if (cached !== undefined) return cached;
  const { joint, vocabSize: size, stopIds } = codec;
  const texts: (string | undefined)[] = [];
  const textOf = (token: number): string => {
    texts[token] ??= joint === undefined ? codec.decode([token]) : codec.tokenText(token);
    return texts[token];
  };
  const made: WrittenVocabulary = {
    size,
    ends: new Set(stopIds),
    text: (token, isFirst) => (isFirst ? '' : (joint ?? '')) + textOf(token),
  };
  KNOWN.set(codec, made);
  return made;
}
