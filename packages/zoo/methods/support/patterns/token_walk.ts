/**
 * Where a vocabulary can go in a language: an automaton of characters as one of tokens. A token may come where a text of the
 * language follows from it, in tokens of this vocabulary, so that nothing that is written ends in a place without a way on.
 */
import type { WrittenVocabulary } from '../../../../../src/methods/token_control.ts';
import type { TextAutomaton } from './text_pattern.ts';

/** Most steps that are looked at, states times tokens. */
const MOST_STEPS = 20_000_000;

export interface TokenWalk {
  /** Whether the vocabulary can write a text of the language. */
  readonly isWritable: boolean;
  /** [vocabulary] 1 where a token may come after these; undefined where all may, or where the tokens are no text of the language. */
  allowed(tokens: Int32Array): Uint8Array | undefined;
}

interface Place {
  readonly state: number;
  /** [vocabulary] the place after each token; −1 where no text of the language continues so. */
  readonly next: Int32Array;
}

const KNOWN = new WeakMap<TextAutomaton, WeakMap<WrittenVocabulary, TokenWalk>>();

/** That of a language and a vocabulary; computed once. @throws RangeError where there are too many places */
export function tokenWalk(automaton: TextAutomaton, vocabulary: WrittenVocabulary): TokenWalk {
  const own = KNOWN.get(automaton) ?? new WeakMap<WrittenVocabulary, TokenWalk>();
  KNOWN.set(automaton, own);
  const known = own.get(vocabulary) ?? makeWalk(automaton, vocabulary);
  own.set(vocabulary, known);
  return known;
}

function makeWalk(automaton: TextAutomaton, vocabulary: WrittenVocabulary): TokenWalk {
  const { size, ends } = vocabulary;
  const places = placesOf(automaton, vocabulary);
  const isAlive = places.map(({ state }) => automaton.ends(state));
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    places.forEach(({ next }, i) => {
      if (isAlive[i] || !next.some((place) => place >= 0 && isAlive[place])) return;
      isAlive[i] = true;
      hasChanged = true;
    });
  }
  const masks = places.map(({ state, next }) => {
    const mask = new Uint8Array(size);
    for (let token = 0; token < size; token++) {
      mask[token] = Number(ends.has(token) ? automaton.ends(state) : next[token] >= 0 && isAlive[next[token]]);
    }
    return mask.includes(0) ? mask : undefined;
  });
  return {
    isWritable: isAlive[0],
    allowed(tokens) {
      let place = 0;
      for (const token of tokens) {
        place = places[place].next[token];
        if (place < 0) return undefined;
      }
      return masks[place];
    },
  };
}

/** The first is the beginning, where nothing is written yet. */
function placesOf(automaton: TextAutomaton, { size, ends, text }: WrittenVocabulary): Place[] {
  const numbers = new Map<number, number>();
  const states = [automaton.begin];
  const places: Place[] = [];
  for (let i = 0; i < states.length; i++) {
    if (states.length * size > MOST_STEPS) throw new RangeError('the pattern has too many places for this vocabulary');
    const next = new Int32Array(size).fill(-1);
    for (let token = 0; token < size; token++) {
      const added = ends.has(token) ? '' : text(token, i === 0);
      const state = added === '' ? -1 : automaton.after(states[i], added);
      if (state < 0) continue;
      const known = numbers.get(state) ?? states.push(state) - 1;
      numbers.set(state, known);
      next[token] = known;
    }
    places.push({ state: states[i], next });
  }
  return places;
}
