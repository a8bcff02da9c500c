/**
 * Lets the policy write nothing but what a pattern allows: all other tokens have probability 0, and those that are left have
 * theirs, renormalised. The sampler's log-probs, the policy's at each update and the reference's are all of that distribution,
 * so that ratio and KL are those of the constrained policy. ReRe, arXiv:2510.12211, has a trie of the items that may be named:
 * a pattern of texts with `|` between them.
 *
 *   π_A(v) = π(v)/Σ_{w∈A} π(w) for v in A, else 0        A: the tokens by which a text of the language continues, or ends
 *
 * Constraint and policy meet in text: a token is allowed where what it adds to the text does not leave the language, however
 * the vocabulary cuts it. With `constrained_after` the text before a mark is free, as thoughts are before an answer. What
 * another method has put in is not undone: a text that has left the language by it is free.
 */
import { PluginError } from '../../errors.ts';
import { key, optional, text } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { TokenControl } from '../points.ts';
import { markedAutomaton, patternAutomaton, type TextAutomaton } from '../support/patterns/text_pattern.ts';
import type { WrittenVocabulary } from '../token_control.ts';
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
  options: {
    allowedPattern: key(
      'pattern',
      text('[0-9]+(,[0-9]+)*').describe(
        'All of a completion, as a regular expression: letters, ., [a-z], [^,], \\d, \\w, \\s, groups, |, *, +, ? and {2,4}.',
      ),
    ),
    constrainedAfter: key(
      'constrained_after',
      optional(text('<answer>')).describe(
        'The pattern holds after the first place of this text, and what is before it is free. Default none: ' +
          'it holds from the start.',
      ),
    ),
  },
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
  uses: () => [tokenSupport],
  note: () =>
    'held-out completions are not constrained; compare evaluations with those of a run without it, or look at the reward',
  create({ allowedPattern, constrainedAfter }): TokenControl {
    const language = patternAutomaton(allowedPattern);
    return constrainedTo(constrainedAfter === undefined ? language : markedAutomaton(constrainedAfter, language));
  },
});

/** Where a vocabulary can go from each state of an automaton. */
interface Transitions {
  /** [vocabulary] */
  readonly next: Int32Array;
  /** [vocabulary] 1 where the token may come; undefined where all may. */
  readonly allowed: Uint8Array | undefined;
}

/** Tokens by which a text of the automaton continues, or ends. */
function constrainedTo(automaton: TextAutomaton): TokenControl {
  const known = new WeakMap<WrittenVocabulary, Map<string, Transitions>>();
  const transitions = (vocabulary: WrittenVocabulary, state: number, isFirst: boolean): Transitions => {
    const own = known.get(vocabulary) ?? new Map<string, Transitions>();
    known.set(vocabulary, own);
    const name = `${state}|${isFirst}`;
    const found = own.get(name) ?? transitionsFrom(automaton, vocabulary, state, isFirst);
    own.set(name, found);
    return found;
  };
  return {
    allowed(tokens, vocabulary) {
      let state = automaton.begin;
      for (let t = 0; t < tokens.length; t++) {
        state = transitions(vocabulary, state, t === 0).next[tokens[t]];
        if (state < 0) return undefined;
      }
      return transitions(vocabulary, state, tokens.length === 0).allowed;
    },
  };
}

function transitionsFrom(
  automaton: TextAutomaton,
  { size, ends, text: textOf }: WrittenVocabulary,
  state: number,
  isFirst: boolean,
): Transitions {
  const next = new Int32Array(size).fill(-1);
  const allowed = new Uint8Array(size);
  for (let token = 0; token < size; token++) {
    if (ends.has(token)) {
      allowed[token] = Number(automaton.ends(state));
      continue;
    }
    const added = textOf(token, isFirst);
    next[token] = added === '' ? -1 : automaton.after(state, added);
    allowed[token] = Number(next[token] >= 0);
  }
  if (!allowed.includes(1)) {
    const rule = 'no token of the vocabulary continues as the pattern asks — write it in characters that the task has';
    throw new PluginError('method-failed', `method "constrained-decoding": ${rule}.`, { id: 'constrained-decoding' });
  }
  return { next, allowed: allowed.includes(0) ? allowed : undefined };
}
