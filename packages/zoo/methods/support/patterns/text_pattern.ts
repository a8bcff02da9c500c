/**
 * Patterns of texts: regular expressions without memory, as automata that are stepped character by character. Written as
 * those of JavaScript are: letters, `.`, `[a-z]`, `[^,]`, `\d`, `\w`, `\s`, groups, `|`, `*`, `+`, `?`, `{2}`, `{2,4}`, `{2,}`.
 *
 * A pattern becomes fragments of states that lead from one to another (Thompson); a set of states that a text may be in is one
 * state of the automaton, which is made when it is first reached. Any of them can be led on to an end.
 */

/** Most times that a pattern writes a part out. */
const MOST_REPEATED = 200;

/** Characters that a state is left by, as ranges of code points. */
type Ranges = readonly (readonly [from: number, to: number])[];

const ANY: Ranges = [[0, 0x10ffff]];
const CLASSES: Readonly<Record<string, Ranges>> = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 13],
    [32, 32],
  ],
};
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

interface State {
  /** One step by a character, … */
  by?: { readonly ranges: Ranges; readonly to: number };
  /** … or steps by nothing. */
  readonly free: number[];
}

/** From its first state to its last. */
interface Fragment {
  readonly from: number;
  readonly to: number;
}

/** An automaton: a text is written from `begin` on, and may end where `ends` says so. */
export interface TextAutomaton {
  readonly begin: number;
  /** The state after a text; −1 where no text of the language continues so. */
  after(state: number, text: string): number;
  ends(state: number): boolean;
}

/** @throws SyntaxError where a pattern is none, in words */
export function patternAutomaton(pattern: string): TextAutomaton {
  return new Parser(pattern).automaton();
}

class Parser {
  readonly #states: State[] = [];
  readonly #pattern: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = [...pattern];
  }

  automaton(): TextAutomaton {
    const whole = this.#choice();
    if (this.#at < this.#pattern.length) throw this.#wrong('has a bracket that nothing opens');
    return new SubsetAutomaton(this.#states, whole);
  }

  get #next(): string | undefined {
    return this.#pattern[this.#at];
  }

  #wrong(what: string): SyntaxError {
    return new SyntaxError(`${what} at character ${this.#at + 1}`);
  }

  #state(): number {
    return this.#states.push({ free: [] }) - 1;
  }

  #choice(): Fragment {
    const parts = [this.#sequence()];
    while (this.#next === '|') {
      this.#at++;
      parts.push(this.#sequence());
    }
    if (parts.length === 1) return parts[0];
    const [from, to] = [this.#state(), this.#state()];
    for (const part of parts) {
      this.#states[from].free.push(part.from);
      this.#states[part.to].free.push(to);
    }
    return { from, to };
  }

  #sequence(): Fragment {
    let whole: Fragment | undefined;
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') {
      const part = this.#repeated();
      if (whole !== undefined) this.#states[whole.to].free.push(part.from);
      whole = { from: whole?.from ?? part.from, to: part.to };
    }
    const empty = (): Fragment => {
      const state = this.#state();
      return { from: state, to: state };
    };
    return whole ?? empty();
  }

  /** One part as often as is written after it. */
  #repeated(): Fragment {
    const begin = this.#at;
    const first = this.#part();
    const end = this.#at;
    const [least, most] = this.#times();
    if (least === 1 && most === 1) return first;
    const behind = this.#at;
    const copies = [first];
    const count = most ?? Math.max(1, least);
    while (copies.length < count) {
      this.#at = begin;
      copies.push(this.#part());
      if (this.#at !== end) throw this.#wrong('repeats what it cannot');
    }
    this.#at = behind;
    const [from, to] = [this.#state(), this.#state()];
    let last = from;
    copies.forEach((copy, i) => {
      if (i >= least) this.#states[last].free.push(to);
      this.#states[last].free.push(copy.from);
      last = copy.to;
    });
    this.#states[last].free.push(to);
    if (most === undefined) this.#states[last].free.push(copies[copies.length - 1].from);
    return { from, to };
  }

  /** How often: at least, and at most, or without an end. */
  #times(): readonly [number, number | undefined] {
    const sign = this.#next;
    if (sign === '*' || sign === '+' || sign === '?') {
      this.#at++;
      return sign === '*' ? [0, undefined] : sign === '+' ? [1, undefined] : [0, 1];
    }
    const counts = /^\{(\d+)(,(\d*))?\}/.exec(this.#pattern.slice(this.#at, this.#at + 12).join(''));
    if (counts === null) return [1, 1];
    this.#at += counts[0].length;
    const least = Number(counts[1]);
    const most = counts[2] === undefined ? least : counts[3] === '' ? undefined : Number(counts[3]);
    if (Math.max(least, most ?? 0) > MOST_REPEATED || (most ?? MOST_REPEATED) < Math.max(1, least))
      throw this.#wrong(`repeats something ${counts[0]} times, of 1 to ${MOST_REPEATED}, the lower number first,`);
    return [least, most];
  }

  #part(): Fragment {
    const sign = this.#next as string; // there is one
    this.#at++;
    if (sign === '(') {
      if (this.#pattern.slice(this.#at, this.#at + 2).join('') === '?:') this.#at += 2;
      const inner = this.#choice();
      if (this.#next !== ')') throw this.#wrong('has a bracket that nothing closes');
      this.#at++;
      return inner;
    }
    if ('*+?^$'.includes(sign))
      throw this.#wrong(`has a ${sign} that stands for nothing; write \\${sign} for the sign,`);
    if (sign === '.') return this.#by(ANY);
    if (sign === '[') return this.#by(this.#set());
    if (sign === '\\') return this.#by(this.#escaped());
    return this.#by(one(sign));
  }

  #by(ranges: Ranges): Fragment {
    const [from, to] = [this.#state(), this.#state()];
    this.#states[from].by = { ranges, to };
    return { from, to };
  }

  #escaped(): Ranges {
    const sign = this.#next;
    if (sign === undefined) throw this.#wrong('ends with a \\');
    this.#at++;
    const known = CLASSES[sign.toLowerCase()];
    if (known === undefined) return one(ESCAPED[sign] ?? sign);
    return sign === sign.toLowerCase() ? known : others(known);
  }

  #set(): Ranges {
    const isNegated = this.#next === '^';
    if (isNegated) this.#at++;
    const ranges: (readonly [number, number])[] = [];
    while (this.#next !== ']') {
      if (this.#next === undefined) throw this.#wrong('has a [ that nothing closes');
      const first = this.#member();
      const isRange = this.#next === '-' && this.#pattern[this.#at + 1] !== ']' && first.length === 1;
      if (!isRange) {
        ranges.push(...first);
        continue;
      }
      this.#at++;
      const [[, to]] = this.#member();
      if (to < first[0][0]) throw this.#wrong('has a range that ends before it begins');
      ranges.push([first[0][0], to]);
    }
    this.#at++;
    if (ranges.length === 0) throw this.#wrong('has [] that holds nothing');
    return isNegated ? others(ranges) : ranges;
  }

  #member(): Ranges {
    const sign = this.#next;
    if (sign === undefined) throw this.#wrong('has a [ that nothing closes');
    this.#at++;
    return sign === '\\' ? this.#escaped() : one(sign);
  }
}

function one(character: string): Ranges {
  const point = character.codePointAt(0) as number; // it is a character
  return [[point, point]];
}

/** All characters that are in none of them. */
function others(ranges: Ranges): Ranges {
  const sorted = [...ranges].sort(([a], [b]) => a - b);
  const found: (readonly [number, number])[] = [];
  let next = 0;
  for (const [from, to] of sorted) {
    if (from > next) found.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  return next > 0x10ffff ? found : [...found, [next, 0x10ffff]];
}

/** Sets of states, numbered as they are found. */
class SubsetAutomaton implements TextAutomaton {
  readonly begin: number;
  readonly #states: readonly State[];
  readonly #end: number;
  readonly #sets: (readonly number[])[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #steps: Map<number, number>[] = [];

  constructor(states: readonly State[], { from, to }: Fragment) {
    this.#states = states;
    this.#end = to;
    this.begin = this.#numberOf([from]);
  }

  after(state: number, text: string): number {
    let at = state;
    for (const character of text) {
      if (at < 0) break;
      at = this.#step(at, character.codePointAt(0) as number); // it is a character
    }
    return at;
  }

  ends(state: number): boolean {
    return this.#sets[state].includes(this.#end);
  }

  #step(state: number, point: number): number {
    const known = this.#steps[state].get(point);
    if (known !== undefined) return known;
    const reached = this.#sets[state].flatMap((member) => {
      const { by } = this.#states[member];
      return by?.ranges.some(([from, to]) => point >= from && point <= to) ? [by.to] : [];
    });
    const next = reached.length === 0 ? -1 : this.#numberOf(reached);
    this.#steps[state].set(point, next);
    return next;
  }

  /** The number of a set of states, with all that these lead to by nothing. */
  #numberOf(reached: readonly number[]): number {
    const all = new Set(reached);
    for (const member of all) for (const free of this.#states[member].free) all.add(free); // a set that grows is walked on
    const set = [...all].sort((a, b) => a - b);
    const name = set.join();
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#sets.length);
    this.#steps.push(new Map());
    return this.#sets.push(set) - 1;
  }
}

/** Any text up to a mark, and after its first place a text of another automaton. It may also end before there is a mark. */
export function markedAutomaton(mark: string, behind: TextAutomaton): TextAutomaton {
  const letters = [...mark];
  /** State `k` has the first k letters of the mark; those of the other automaton follow. */
  const begun = (written: readonly string[]): number => {
    for (let k = Math.min(written.length, letters.length); k > 0; k--) {
      if (letters.slice(0, k).join('') === written.slice(written.length - k).join('')) return k;
    }
    return 0;
  };
  const step = (state: number, character: string): number => {
    if (state >= letters.length) {
      const next = behind.after(state - letters.length, character);
      return next < 0 ? -1 : next + letters.length;
    }
    const k = begun([...letters.slice(0, state), character]);
    return k === letters.length ? letters.length + behind.begin : k;
  };
  return {
    begin: 0,
    after: (state, text) => [...text].reduce((at, character) => (at < 0 ? at : step(at, character)), state),
    ends: (state) => state < letters.length || behind.ends(state - letters.length),
  };
}
