/** Texts that an export and the model that it was made of must read alike. */

import { asksInWords } from '../../../../src/text/codec.ts';
import type { Pretrained } from './pretrained.ts';

/** Texts that reach every rule by which a text is split. */
export const TEXTS_OF_ALL_KINDS = [
  'The capital of Japan is Tokyo.',
  "I'll say it's 12345, 6.7 and 89!\n\n  Two  blanks\tand a tab ",
  'naïve café, Größe, 東京, 🙂 \r\n',
];

/** What an export must read to the same tokens as the model that it was made of. */
export function textsToRead({ codec }: Pretrained): readonly string[] {
  if (asksInWords(codec))
    return [...TEXTS_OF_ALL_KINDS, codec.render([{ role: 'user', content: TEXTS_OF_ALL_KINDS[1] as string }])];
  const characters = Array.from({ length: codec.vocabSize }, (_, id) => codec.tokenText(id));
  return [characters.filter((text) => !/^<.+>$/.test(text)).join(codec.joint)];
}
