/**
 * Lets the policy write nothing but what a pattern allows: all other tokens have probability 0, and those that are left
 * have theirs, renormalised. The sampler's log-probs, the policy's at each update and the reference's are all of that
 * distribution, so that ratio and KL are those of the constrained policy. ReRe, arXiv:2510.12211, has a trie of the
 * items that may be named: a pattern of texts with `|` between them. Constraint and policy meet in text: a token is
 * allowed where what it adds to the text does not leave the language, however the vocabulary cuts it. With
 * `constrained_after` the text before a mark is free, as thoughts are before an answer. What another method has put in
 * is not undone: a text that has left the language by it is free. Nor may a token come after which no text of the
 * language can be written in this vocabulary.
 */
import { writtenVocabulary } from '../../../../src/methods/support/patterns/written_vocabulary.ts';
import type { Refusal, Use } from '../../../../src/methods/uses/use.ts';
import { key, keys, method, optional, type TokenControl, text } from '../kit.ts';
import { markedAutomaton, patternAutomaton, type TextAutomaton } from '../support/patterns/text_pattern.ts';
import { tokenWalk } from '../support/patterns/token_walk.ts';
import { readsWholeDistributions, tokenSupport } from '../uses/token_support.ts';

export const constrainedDecoding = method({
  id: 'constrained-decoding',
  about: {
    does: 'Lets the policy write only what a pattern allows, and trains the policy under the same mask.',
    names: ['ReRe', 'guided decoding', 'structured outputs', 'grammar', 'trie', 'token mask', 'regex'],
    formula:
      'π_A(v) = π(v)/Σ_{w∈A} π(w) for v in A, else 0; A: tokens by which a text of the pattern continues or ends',
    source: '2510.12211',
    certainty: 'after the paper',
  },
  options: keys({
    allowedPattern: key(
      'pattern',
      text('[0-9]+(,[0-9]+)*').describe(
        'All of a completion, as a regular expression: letters, ., [a-z], [^,], \\d, \\w, \\s, groups, |, *, +, ? and {2,4}.',
      ),
    ),
    constrainedAfter: optional(text('<answer>')).describe(
      'The pattern holds after the first place of this text, and what is before it is free. Default none: ' +
        'it holds from the start.',
    ),
  }),
  complete(options, refuse) {
    try {
      patternAutomaton(options.allowedPattern);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      refuse('allowedPattern', `${error.message}; write a pattern such as [0-9]+`);
    }
    return options;
  },
  conflict: (_, __, ___, members) => readsWholeDistributions(members),
  uses: (options) => [tokenSupport, writable(languageOf(options))],
  note: () =>
    'held-out completions are not constrained; compare evaluations with those of a run without it, or look at the reward',
  create(options): TokenControl {
    const language = languageOf(options);
    return { allowed: (tokens, vocabulary) => tokenWalk(language, vocabulary).allowed(tokens) };
  },
});

const LANGUAGES = new Map<string, TextAutomaton>();

/** One for equal options, so that where a vocabulary can go in it is computed once. */
function languageOf(options: {
  readonly allowedPattern: string;
  readonly constrainedAfter?: string | undefined;
}): TextAutomaton {
  const { allowedPattern, constrainedAfter } = options;
  const name = JSON.stringify([allowedPattern, constrainedAfter]);
  const pattern = patternAutomaton(allowedPattern);
  const made =
    LANGUAGES.get(name) ?? (constrainedAfter === undefined ? pattern : markedAutomaton(constrainedAfter, pattern));
  LANGUAGES.set(name, made);
  return made;
}

/** A vocabulary that can write a text of the language. */
function writable(language: TextAutomaton): Use {
  return {
    id: 'writable-pattern',
    says: 'a vocabulary that can write a text of the pattern',
    refuses({ codec, name }) {
      const refusal = (rule: string, remedy: string): Refusal => ({ code: 'cannot-write', rule, remedy });
      try {
        if (tokenWalk(language, writtenVocabulary(codec)).isWritable) return undefined;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return refusal(`has a pattern of too many places for the vocabulary of ${name}`, 'give a shorter one');
      }
      const rule = `allows only texts that the vocabulary of ${name} cannot write`;
      return refusal(rule, 'give a pattern of characters that it has');
    },
  };
}
