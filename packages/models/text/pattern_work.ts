/**
 * What a pattern of a tokenizer may cost on a text that it does not match, read off the pattern. An engine that backtracks
 * tries every way to read the text before it gives up: 2^n ways of n letters where a group that can read them in several
 * ways is repeated itself, n^k where k repeats that can read the same letters follow each other.
 */

/** Why a pattern may not end on a text, or not soon; undefined: nothing is known against it. */
export function patternFlaw(regex: string): string | undefined {
  if (repeatsAmbiguously(regex)) return 'repeats what can be read in several ways, and may never end on a text';
  if (mostSharing(regex) >= 2) {
    return 'repeats the same letters more than once before it can fail, and takes ages on a long text';
  }
  return undefined;
}

/** The tokens of a pattern: how a group opens and closes, alternatives, what repeats, and atoms of one character. */
const TOKEN =
  /(?<open>\((?:\?(?:[a-z-]*:|<?[=!]|>|<\w+>))?)|(?<close>\))|(?<or>\|)|(?<repeat>[*+?]|\{(?:\d+(?:,\d*)?|,\d+)\})[?+]?|(?<atom>\[(?:\\.|[^\]\\])*\]?|\\(?:[pPux]\{[^}]*\}|.)|.)/gsu;

/** An atom that is one character and no other: itself, or escaped where that is no letter of a class. */
const LITERAL = /^(?:[^\\[.^$]|\\[rntfv]|\\[^a-zA-Z0-9])$/u;

/** A group of a pattern while it is read. */
interface Group {
  /** Something in it may be there or not, or more often, so that one text can be read in several ways. */
  varies: boolean;
  /** What each alternative begins with; undefined where that is not one character. */
  readonly firsts: (string | undefined)[];
  /** Nothing of the last alternative was read yet. */
  isAtStart: boolean;
}

/** Times from which on several readings of each come to too many: 2^10 is nothing, 2^30 is a minute. */
const MANY = 10;

/**
 * Whether a group that can read a text in several ways is itself repeated, as `(a+)+`, `(a|a)+`, `(aa?)*`: all of 2^n ways
 * are tried where nothing matches. Alternatives differ by the one character that each begins with.
 */
function repeatsAmbiguously(regex: string): boolean {
  const tokens = [...regex.matchAll(TOKEN)].map(({ groups = {} }) => groups);
  const groups: Group[] = [openGroup()];
  let closed: Group | undefined; // the atom before, where it is a group
  for (const [at, { open, close, or, repeat, atom }] of tokens.entries()) {
    const group = groups[groups.length - 1];
    const before = closed;
    closed = undefined;
    if (open !== undefined) {
      group.isAtStart = false;
      groups.push(openGroup());
    } else if (close !== undefined) {
      closed = groups.pop() ?? openGroup();
      if (groups.length === 0) groups.push(openGroup()); // one that was never opened: no pattern, which its reader says
      if (isAmbiguous(closed)) groups[groups.length - 1].varies = true;
    } else if (or !== undefined) {
      group.firsts.push(undefined);
      group.isAtStart = true;
    } else if (repeat !== undefined) {
      const [least, most] = countOf(repeat);
      if (most >= MANY && before !== undefined && isAmbiguous(before)) return true;
      if (least !== most && !isTold(repeat, tokens[at - 1]?.atom, tokens[at + 1]?.atom)) group.varies = true;
    } else if (atom !== undefined && group.isAtStart) {
      group.isAtStart = false;
      if (LITERAL.test(atom)) group.firsts[group.firsts.length - 1] = atom.toLowerCase();
    }
  }
  return false;
}

function openGroup(): Group {
  return { varies: false, firsts: [undefined], isAtStart: true };
}

function isAmbiguous({ varies, firsts }: Group): boolean {
  return varies || (firsts.length > 1 && (firsts.includes(undefined) || new Set(firsts).size < firsts.length));
}

/** Least and most times. */
function countOf(repeat: string): readonly [least: number, most: number] {
  if (repeat === '*') return [0, Number.POSITIVE_INFINITY];
  if (repeat === '+') return [1, Number.POSITIVE_INFINITY];
  if (repeat === '?') return [0, 1];
  const [least, most = least] = repeat.slice(1, -1).split(',');
  return [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)];
}

/** Whether the next character tells if what may be left out is there, as in `\\r?\\n`. */
function isTold(repeat: string, before: string | undefined, after: string | undefined): boolean {
  if (repeat !== '?' || before === undefined || after === undefined) return false;
  return LITERAL.test(before) && LITERAL.test(after) && before.toLowerCase() !== after.toLowerCase();
}

/** A part of a pattern. */
type Part =
  | { readonly kind: 'atom'; readonly reads: (character: string) => boolean }
  /** It reads nothing, and may fail: the end of the text, or what is looked for around. */
  | { readonly kind: 'look'; readonly inside: readonly Sequence[] }
  | { readonly kind: 'group'; readonly inside: readonly Sequence[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number };
type Sequence = readonly Part[];

/** From this many times on a bounded repetition costs what one without a bound does; below it is written out. */
const UNBOUNDED = 32;

/** Letters that tell the classes of patterns apart, beside those that a pattern names itself. */
const SAMPLES = [
  ...'abkszABZ019_ \t\n\r\'".,:;!?/-+=<>()[]{}|@#$%^&*~`\\éßΩжאअあ中한ǅʰª٣½Ⅷ€©\u0301\u0903\u00a0\u00ad\u2028…—😀',
];

/** How many repeats that can read one letter follow each other at most, before something that may fail on a row of it. */
function mostSharing(regex: string): number {
  const pattern = sequencesOf(regex);
  let most = 0;
  const fails = (sharing: number): void => {
    most = Math.max(most, sharing);
  };
  for (const letter of new Set([...SAMPLES, ...regex])) through({ kind: 'group', inside: pattern }, letter, 0, fails);
  return most;
}

/** The number of repeats that share a row of the letter after the part, where there were `sharing` of them before. */
function through(part: Part, letter: string, sharing: number, fails: (sharing: number) => void): number {
  if (part.kind === 'atom') {
    if (part.reads(letter)) return sharing;
    fails(sharing);
    return 0;
  }
  if (part.kind === 'repeat') {
    if (!canRead(part.part, letter)) {
      if (part.least === 0) return sharing;
      fails(sharing);
      return 0;
    }
    if (part.most >= UNBOUNDED) return sharing + 1;
    let after = sharing;
    for (let time = 0; time < part.most; time++) after = through(part.part, letter, after, fails);
    return after;
  }
  const ends = part.inside.map((sequence) =>
    sequence.reduce((before, each) => through(each, letter, before, fails), sharing),
  );
  if (part.kind === 'group') return Math.max(0, ...ends);
  fails(sharing);
  return sharing;
}

/** Whether a part can read a row of the letter, and not nothing alone. */
function canRead(part: Part, letter: string): boolean {
  if (part.kind === 'atom') return part.reads(letter);
  if (part.kind === 'look') return false;
  if (part.kind === 'repeat') return canRead(part.part, letter);
  return part.inside.some(
    (sequence) =>
      sequence.some((each) => canRead(each, letter)) &&
      sequence.every((each) => canRead(each, letter) || (each.kind === 'repeat' && each.least === 0)),
  );
}

/** The alternatives of a pattern. What is no pattern is read as far as it goes: the tokenizer's own reader refuses it. */
function sequencesOf(regex: string): readonly Sequence[] {
  interface Open {
    readonly kind: 'group' | 'look';
    readonly ignoresCase: boolean;
    readonly inside: Part[][];
  }
  const whole: Open = { kind: 'group', ignoresCase: false, inside: [[]] };
  const stack = [whole];
  for (const { groups = {} } of regex.matchAll(TOKEN)) {
    const { open, close, or, repeat, atom } = groups;
    const { inside, ignoresCase } = stack[stack.length - 1];
    const sequence = inside[inside.length - 1];
    if (open !== undefined) {
      const kind = /^\(\?<?[=!]/.test(open) ? 'look' : 'group';
      stack.push({ kind, ignoresCase: ignoresCase || /^\(\?[a-z]*i/.test(open), inside: [[]] });
    } else if (close !== undefined && stack.length > 1) {
      const { kind, inside: own } = stack.pop() as Open;
      stack[stack.length - 1].inside.at(-1)?.push({ kind, inside: own });
    } else if (or !== undefined) {
      inside.push([]);
    } else if (repeat !== undefined && sequence.length > 0) {
      const [least, most] = countOf(repeat);
      sequence.push({ kind: 'repeat', part: sequence.pop() as Part, least, most });
    } else if (atom !== undefined) {
      const isLook = /^(?:[$^]|\\[bBAzZG])$/.test(atom);
      sequence.push(isLook ? { kind: 'look', inside: [] } : { kind: 'atom', reads: readerOf(atom, ignoresCase) });
    }
  }
  return whole.inside;
}

/** Which letters an atom reads; all of them, where JavaScript does not know it. */
function readerOf(atom: string, ignoresCase: boolean): (letter: string) => boolean {
  const escaped = /^\\([^a-zA-Z0-9])$/u.exec(atom)?.[1];
  if (escaped !== undefined) return (letter) => letter === escaped;
  for (const flags of ['u', '']) {
    try {
      const pattern = new RegExp(`^(?:${atom})$`, ignoresCase ? `${flags}i` : flags);
      return (letter) => pattern.test(letter);
    } catch {
      // without u, JavaScript reads escapes that it else refuses
    }
  }
  return () => true;
}
