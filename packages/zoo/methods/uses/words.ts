/** What a method says to the policy, and what it writes into completions. */
import { DataError } from '../../../../src/errors.ts';
import type { Use } from '../../../../src/methods/uses/use.ts';

/**
 * Words that it speaks to the policy in, and what each says to a pretrained model. A closed vocabulary has them in runs of
 * this method alone, as further tokens.
 */
export function words(said: Readonly<Record<string, string>>): Use {
  return {
    id: `words:${Object.keys(said).join(' ')}`,
    says: 'words of its own: further tokens of a closed vocabulary, text for a pretrained model',
    words: said,
  };
}

/** A text that it writes into completions as it is: the vocabulary of the task must have it. */
export function writtenText(text: string): Use {
  return {
    id: `text:${text}`,
    says: 'a vocabulary that has what it writes',
    refuses({ codec, name }) {
      try {
        codec.encode(text);
        return undefined;
      } catch (error) {
        if (!(error instanceof DataError)) throw error;
        return {
          code: 'cannot-write',
          rule: `writes ${JSON.stringify(text)}, which the vocabulary of ${name} cannot`,
          remedy: 'give a text of its own characters, or use style: plain or a pretrained model',
          facts: { text },
        };
      }
    },
  };
}
