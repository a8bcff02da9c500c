/** The words of a, b and c that a description means, as the smallest automaton that accepts them. */

export const ALPHABET = ['a', 'b', 'c'] as const;

/** How often a piece may occur. */
export const COUNTS = {
  once: { least: 1, most: 1 },
  maybe: { least: 0, most: 1 },
  some: { least: 1, most: Number.POSITIVE_INFINITY },
  any: { least: 0, most: Number.POSITIVE_INFINITY },
  two: { least: 2, most: 2 },
  'two or three': { least: 2, most: 3 },
} as const;

export type Count = keyof typeof COUNTS;
/** The letters that may be at each place of the piece, and how many places it has. */
export type Piece = { readonly letters: string; readonly count: Count };
/** Branches of pieces: a word has to be made of the pieces of one of them. */
export type Branches = readonly (readonly Piece[])[];

/** States from 0, which is where a word begins; each has the next state for each letter. */
export interface Automaton {
  readonly accepts: readonly boolean[];
  readonly next: readonly (readonly number[])[];
}

/** Whether a word of the alphabet is one of those. @param from  the state in which it begins */
export function accepts({ accepts, next }: Automaton, word: string, from = 0): boolean {
  let state = from;
  for (const letter of word) state = next[state][ALPHABET.indexOf(letter as 'a')] ?? -1;
  return accepts[state];
}

/**
 * Words with one character that is none of the alphabet, each of which would be one of those if the character were a letter,
 * or were not there: from each state, by each of the characters.
 */
export function foreignWords(automaton: Automaton, characters: readonly string[]): string[] {
  const endOf = (state: number): string[] => shortestEnd(automaton, state);
  return waysTo(automaton).flatMap((way, state) => {
    const ends = [...new Set([state, ...automaton.next[state]].flatMap(endOf))];
    return characters.flatMap((character) => ends.map((end) => way + character + end));
  });
}

/** A shortest word that is accepted from a state; none where no word is. */
function shortestEnd(automaton: Automaton, from: number): string[] {
  const seen = new Set([from]);
  const order = [{ state: from, word: '' }];
  for (const { state, word } of order) {
    if (automaton.accepts[state]) return [word];
    automaton.next[state].forEach((to, letter) => {
      if (seen.has(to)) return;
      seen.add(to);
      order.push({ state: to, word: word + ALPHABET[letter] });
    });
  }
  return [];
}

/** One text for all descriptions of the same words, and another for each other ones. */
export function languageKey({ accepts, next }: Automaton): string {
  return next.map((row, state) => `${accepts[state] ? '+' : '-'}${row.join()}`).join(' ');
}

/**
 * Words that tell an automaton, the smallest one of its words, from each other with as many states or fewer: every step is
 * taken, and what is reached by it is asked with all words that tell its states apart.
 *
 * @see M. P. Vasilevskii, Failure diagnosis of automata, 1973
 */
export function tellingWords(automaton: Automaton): string[] {
  const ways = waysTo(automaton);
  const steps = ways.flatMap((way) => ['', ...ALPHABET].map((letter) => way + letter));
  const ends = endsThatTell(automaton);
  return [...new Set(steps.flatMap((step) => ends.map((end) => step + end)))];
}

/** A shortest word that leads to each state. */
function waysTo({ next }: Automaton): string[] {
  const ways: string[] = [''];
  const order = [0];
  for (const state of order) {
    next[state].forEach((to, letter) => {
      if (ways[to] !== undefined) return;
      ways[to] = ways[state] + ALPHABET[letter];
      order.push(to);
    });
  }
  return ways;
}

/** Words of which at least one is accepted from one of two states alone, for each two. */
function endsThatTell(automaton: Automaton): string[] {
  const ends = [''];
  const seenFrom = (state: number): string => ends.map((end) => accepts(automaton, end, state)).join();
  for (const end of ends) {
    for (const letter of ALPHABET) {
      const before = new Set(automaton.next.map((_, state) => seenFrom(state))).size;
      if (before === automaton.next.length) return ends;
      ends.push(letter + end);
      if (new Set(automaton.next.map((_, state) => seenFrom(state))).size === before) ends.pop();
    }
  }
  return ends;
}

/** The smallest automaton, its states in the order in which words reach them. */
export function automatonOf(branches: Branches): Automaton {
  const all = determined(branches);
  return inOrder(all, classesOf(all));
}

/** Where a word may be: which branch, which piece, and how many letters of it there were. */
type Place = readonly [branch: number, piece: number, letters: number];

const nameOf = (places: readonly Place[]): string => [...new Set(places.map((place) => place.join()))].sort().join(' ');

/** A place, and those that are reached from it without a letter. */
function withSkips(branches: Branches, place: Place): Place[] {
  const [branch, at, letters] = place;
  const piece = branches[branch][at];
  const isOver = piece !== undefined && letters >= COUNTS[piece.count].least;
  return isOver ? [place, ...withSkips(branches, [branch, at + 1, 0])] : [place];
}

function after(branches: Branches, [branch, at, letters]: Place, letter: string): Place[] {
  const piece = branches[branch][at];
  if (piece === undefined || !piece.letters.includes(letter)) return [];
  const { least, most } = COUNTS[piece.count];
  if (letters === most) return [];
  // Beyond the least of an endless piece, one more letter changes nothing.
  const now = most === Number.POSITIVE_INFINITY ? Math.min(letters + 1, least) : letters + 1;
  return withSkips(branches, [branch, at, now]);
}

/** An automaton whose states are sets of places. */
function determined(branches: Branches): Automaton {
  const states = [branches.flatMap((_, branch) => withSkips(branches, [branch, 0, 0]))];
  const numbers = new Map([[nameOf(states[0]), 0]]);
  const next: number[][] = [];
  for (let state = 0; state < states.length; state++) {
    next.push(
      ALPHABET.map((letter) => {
        const places = states[state].flatMap((place) => after(branches, place, letter));
        const name = nameOf(places);
        const known = numbers.get(name);
        if (known !== undefined) return known;
        numbers.set(name, states.length);
        return states.push(places) - 1;
      }),
    );
  }
  return { accepts: states.map((places) => places.some(([b, at]) => at === branches[b].length)), next };
}

/** A class for each state, equal where no word tells two states apart. */
function classesOf({ accepts, next }: Automaton): number[] {
  let classes = accepts.map(Number);
  for (;;) {
    const names = classes.map((own, state) => [own, ...next[state].map((to) => classes[to])].join());
    const numbers = [...new Set(names)];
    const finer = names.map((name) => numbers.indexOf(name));
    if (numbers.length === new Set(classes).size) return finer;
    classes = finer;
  }
}

function inOrder({ accepts, next }: Automaton, classes: readonly number[]): Automaton {
  const order = [classes[0]];
  const rows: number[][] = [];
  for (let i = 0; i < order.length; i++) {
    const targets = next[classes.indexOf(order[i])].map((to) => classes[to]);
    for (const target of targets) if (!order.includes(target)) order.push(target);
    rows.push(targets.map((target) => order.indexOf(target)));
  }
  return { accepts: order.map((one) => accepts[classes.indexOf(one)]), next: rows };
}
