/**
 * What a tokenizer.json may ask for. It is a text of somebody else's, and a small one can ask for work without end: patterns
 * that try out every way to read a text, replacements that grow it tenfold again and again, ids that want a list of billions.
 */

type Json = Readonly<Record<string, unknown>>;

/** How much longer all its replacements together may make a text; those of today make it three times as long. */
const MOST_GROWTH = 100;

/** Parts that may have a pattern. */
const PARTS = ['normalizer', 'pre_tokenizer', 'decoder'] as const;
const LISTS = ['normalizers', 'pretokenizers', 'decoders', 'processors'];

/** @throws Error where a text could take forever, or all memory */
export function requireBounded(tokenizer: Json): void {
  for (const name of PARTS) {
    let growth = 1;
    for (const part of partsOf(tokenizer[name])) {
      const regex = regexOf(part.pattern);
      if (regex !== undefined && repeatsAmbiguously(regex)) {
        throw new Error(
          `${name}: the pattern ${regex} repeats what can be read in several ways, and may never end on a text`,
        );
      }
      growth *= growthOf(part, regex);
    }
    if (growth > MOST_GROWTH) throw new Error(`${name}: its replacements make a text ${growth} times as long`);
  }
}

/** Largest id of the vocabulary and of the added tokens; -1 where there is none. */
export function largestId({ model, added_tokens: added }: Json): number {
  const { vocab } = (model ?? {}) as Json;
  const ids = Array.isArray(added) ? added.map((token: Json | null) => Number(token?.id)) : [];
  let largest = -1;
  for (const id of ids) if (id > largest) largest = id;
  if (typeof vocab !== 'object' || vocab === null) return largest;
  if (Array.isArray(vocab)) return Math.max(largest, vocab.length - 1);
  for (const id of Object.values(vocab)) if (typeof id === 'number' && id > largest) largest = id;
  return largest;
}

/** A part and those in its sequences. */
function partsOf(part: unknown): Json[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = part as Json;
  const inner = LISTS.flatMap((list) => (Array.isArray(own[list]) ? (own[list] as unknown[]).flatMap(partsOf) : []));
  return [own, ...inner];
}

function regexOf(pattern: unknown): string | undefined {
  const { Regex: regex } = (pattern ?? {}) as Json;
  return typeof regex === 'string' ? regex : undefined;
}

/** Characters for one, at most. */
function growthOf({ type, content, pattern }: Json, regex: string | undefined): number {
  if (type !== 'Replace' || typeof content !== 'string') return 1;
  if (regex !== undefined) return 1 + content.length; // it may match between characters
  const { String: text } = (pattern ?? {}) as Json;
  return typeof text === 'string' && text !== '' ? Math.max(1, content.length / text.length) : 1 + content.length;
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
 * are tried where nothing matches. Alternatives are told apart by the one character that each begins with.
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
