/**
 * A regular expression for the words of a, b and c that a line describes. Answers run in the sandbox `regex`.
 *
 *   verdict     right where it matches those that are meant, of words that tell them from those of other automata as small,
 *               of all up to three letters, and of forty longer ones; endless pieces have a very long one each. No word with
 *               another character is meant: from each state of the automaton, a hundred characters are tried, and those of
 *               the answer
 *   parts       runs: it is a pattern; tests: mean of the shares of words that it should match and should not, times the
 *               share of words with another character that it does not match
 *   split       by hash of the words that are meant, however they are described: of their smallest automaton
 */
import type { RegexSandbox } from '../../../sandbox/regex.ts';
import type { Rng, TaskDefinition, Verdict } from '../../kit.ts';
import { illegal, lineTask, malformed, missing, onlyMisses, rngFor, trimAscii, wrongValue } from '../../kit.ts';
import {
  ALPHABET,
  type Automaton,
  accepts,
  automatonOf,
  COUNTS,
  type Count,
  foreignWords,
  languageKey,
  type Piece,
  tellingWords,
} from './automaton.ts';
import { type RegexWriteKnobs, regexWriteCard } from './card.ts';

export type RegexWriteItem = { readonly branches: readonly (readonly Piece[])[] };

const LETTERS = ['a', 'b', 'c', 'ab', 'ac', 'bc'];
const SUFFIXES: Readonly<Record<Count, string>> = {
  once: '',
  maybe: '?',
  some: '+',
  any: '*',
  two: '{2}',
  'two or three': '{2,3}',
};
const SIMPLE: readonly Count[] = ['once', 'maybe', 'some', 'any'];

const pieceWords = ({ letters, count }: Piece): string =>
  `${count === 'once' ? '' : `${count} `}${letters.split('').join(' or ')}`;
const problemText = ({ branches }: RegexWriteItem): string =>
  branches.map((pieces) => pieces.map(pieceWords).join(', ')).join('; else ');

const pieceText = ({ letters, count }: Piece): string =>
  `${letters.length === 1 ? letters : `[${letters}]`}${SUFFIXES[count]}`;
const rightAnswer = ({ branches }: RegexWriteItem): string =>
  branches.map((pieces) => pieces.map(pieceText).join('')).join('|');

/** Letters of the words that are all tried. */
const SHORT = 3;
const LONG_WORDS = 20;
/** Letters of an endless piece beyond its least, at most. */
const MOST_REPEATED = 4;
/** Letters of it in a word that no short pattern reaches by counting. */
const LONG_RUN = 10_000;

const withOneMore = (words: readonly string[]): string[] =>
  words.flatMap((word) => ALPHABET.map((letter) => word + letter));

function shortWords(): string[] {
  const byLength = [['']];
  while (byLength.length <= SHORT) byLength.push(withOneMore(byLength.at(-1) as string[]));
  return byLength.flat();
}

const SHORT_WORDS = shortWords();

/** Characters that are no letter of a word: all of ASCII that can be seen, and of each kind that a class of letters may hold. */
const FOREIGN = [
  ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((one) => !ALPHABET.includes(one as 'a')),
  ...['\n', '\t', '\0', '\u00e4', '\u0430', '\u{1f600}'],
];

function drawMeant(rng: Rng, { branches }: RegexWriteItem): string {
  const pieces = rng.pick(branches);
  return pieces
    .map(({ letters, count }) => {
      const { least, most } = COUNTS[count];
      const length = rng.int(least, Math.min(most, least + MOST_REPEATED));
      return Array.from({ length }, () => rng.pick(letters.split(''))).join('');
    })
    .join('');
}

/** For each endless piece, a word in which it lasts for long. */
function longRuns({ branches }: RegexWriteItem): string[] {
  return branches.flatMap((pieces) =>
    pieces
      .filter(({ count }) => COUNTS[count].most === Number.POSITIVE_INFINITY)
      .map((long) =>
        pieces.map((piece) => piece.letters[0].repeat(piece === long ? LONG_RUN : COUNTS[piece.count].least)).join(''),
      ),
  );
}

/** A word with a letter replaced, left out, or added. */
function misspelt(rng: Rng, word: string): string {
  const at = rng.int(0, word.length);
  return word.slice(0, at) + rng.pick(['', ...ALPHABET]) + word.slice(at + rng.int(0, 1));
}

/** The words that a pattern is tried on, the same each time that these are asked for. */
function hiddenWords(item: RegexWriteItem): string[] {
  const rng = rngFor(`hidden words|${problemText(item)}`);
  const long = Array.from({ length: LONG_WORDS }, () => drawMeant(rng, item));
  return [
    ...tellingWords(automaton(item)),
    ...SHORT_WORDS,
    ...long,
    ...longRuns(item),
    ...long.map((word) => misspelt(rng, word)),
  ];
}

/** Words with all pieces of a description, where another character replaces a letter or is added to it. */
function foreignPieces({ branches }: RegexWriteItem, characters: readonly string[]): string[] {
  return branches.flatMap((pieces) => {
    const word = pieces
      .map(({ letters, count }) => letters.padEnd(COUNTS[count].least, letters).slice(0, COUNTS[count].least || 1))
      .join('');
    const places = Array.from({ length: word.length + 1 }, (_, at) => [word.slice(0, at), word.slice(at)] as const);
    return characters.flatMap((one) =>
      places.flatMap(([before, after]) => [before + one + after, before + one + after.slice(1)]),
    );
  });
}

const KNOWN: ReadonlySet<string> = new Set([...ALPHABET, ...FOREIGN]);

const automata = new WeakMap<RegexWriteItem, Automaton>();
function automaton(item: RegexWriteItem): Automaton {
  const known = automata.get(item) ?? automatonOf(item.branches);
  automata.set(item, known);
  return known;
}

/** What a pattern is tried on. */
interface Tests {
  /** Words of the letters that are meant, and whether each is meant. */
  readonly words: readonly (readonly [word: string, isMeant: boolean])[];
  /** Words with another character; none of them is. */
  readonly foreign: readonly string[];
}

const wordsWith = (item: RegexWriteItem, characters: readonly string[]): string[] => [
  ...new Set([...foreignWords(automaton(item), characters), ...foreignPieces(item, characters)]),
];

const made = new WeakMap<RegexWriteItem, Tests>();
function testsOf(item: RegexWriteItem): Tests {
  const tests = made.get(item) ?? {
    words: hiddenWords(item).map((word) => [word, accepts(automaton(item), word)] as const),
    foreign: wordsWith(item, FOREIGN),
  };
  made.set(item, tests);
  return tests;
}

function judge(sandbox: RegexSandbox, item: RegexWriteItem, answer: string): Verdict {
  const parts = (runs: number, tests: number) => ({ parts: { runs, tests } });
  const text = trimAscii(answer);
  if (text === '') return { ...missing('the answer is empty'), ...parts(0, 0) };
  const pattern = sandbox.compile(text);
  if (!pattern.ok) {
    return { ...(pattern.failure === 'syntax' ? malformed : illegal)(pattern.reason), ...parts(0, 0) };
  }
  const { words, foreign } = testsOf(item);
  const shareOf = (isMeant: boolean): number => {
    const all = words.filter((one) => one[1] === isMeant);
    return all.length === 0 ? 1 : all.filter(([word]) => pattern.matches(word) === isMeant).length / all.length;
  };
  const tests = (shareOf(true) + shareOf(false)) / 2;
  const written = [...new Set(text)].filter((one) => !KNOWN.has(one));
  const others = written.length === 0 ? foreign : [...foreign, ...wordsWith(item, written)];
  const refused = others.filter((word) => !pattern.matches(word)).length / others.length;
  return tests * refused === 1
    ? { score: 1, status: 'correct', reason: 'it matches the right words', canonical: text, ...parts(1, 1) }
    : { ...wrongValue('it matches other words'), canonical: text, ...parts(1, tests * refused) };
}

function drawPieces(rng: Rng, { pieces, counts }: RegexWriteKnobs): Piece[] {
  const allowed = counts === 1 ? SIMPLE : (Object.keys(COUNTS) as Count[]);
  return Array.from({ length: pieces }, () => ({ letters: rng.pick(LETTERS), count: rng.pick(allowed) }));
}

export function regexWrite(sandbox: RegexSandbox): TaskDefinition<RegexWriteItem, RegexWriteKnobs> {
  const line = lineTask<RegexWriteItem, RegexWriteKnobs>(regexWriteCard, {
    family: 'regex_write',
    answers: 'open',
    characters: 'abcdefghijklmnopqrstuvwxyz0123456789 ,;>[](){}|?+*.^$-',
    generate: (rng, knobs) => ({ branches: Array.from({ length: knobs.branches }, () => drawPieces(rng, knobs)) }),
    key: (item) => `regex|${languageKey(automaton(item))}`,
    prompt: (item) => `${problemText(item)}>`,
    question: (item) =>
      'Words of the letters a, b and c are described by pieces, one after the other: "a or b" is one of these letters, ' +
      '"maybe" one or none, "some" one or more, "any" none or more, "two" two, "two or three" two or three of them. ' +
      'After "else" there is another description, and either may be met. ' +
      `Write a regular expression that matches these words as a whole and no others: ${problemText(item)}. ` +
      'Answer with the expression alone.',
    oracle: rightAnswer,
    verify: (item, answer) => judge(sandbox, item, answer),
    mutants: (item, _knobs, rng) => {
      const right = rightAnswer(item);
      const [first, ...others] = item.branches;
      const at = rng.int(0, first.length - 1);
      const replaced = (by: Partial<Piece>): string =>
        rightAnswer({ branches: [first.map((piece, i) => (i === at ? { ...piece, ...by } : piece)), ...others] });
      const texts: Readonly<Record<string, string>> = {
        'other letters': replaced({ letters: rng.pick(LETTERS) }),
        'another count': replaced({ count: rng.pick(SIMPLE) }),
        'a piece left out': rightAnswer({ branches: [first.filter((_, i) => i !== at), ...others] }),
        'any word': '[abc]*',
        'any text': '.*',
        'a text before it': `.*${right}`,
        'given twice': `${right} ${right}`,
        'between slashes': `/${right}/`,
        'a bracket that stays open': `(${right}`,
        'a look ahead': `(?=${right})`,
        'a back reference': `(${right})\\1`,
        'many times over': `(${right}){1,99}`,
        'the problem': problemText(item),
        'a word of it': drawMeant(rng, item),
      };
      return onlyMisses(texts, (text) => judge(sandbox, item, text));
    },
    chance: ({ pieces }) => (pieces === 1 ? 0.1 : 0.03),
    longest: ({ pieces, branches, counts }) => {
      const longest = counts === 1 ? 'maybe' : 'two or three';
      const item = {
        branches: Array.from({ length: branches }, () =>
          Array.from({ length: pieces }, (): Piece => ({ letters: 'ab', count: longest })),
        ),
      };
      return {
        prompt: problemText(item).length + 1,
        answer: rightAnswer(item).length,
        question: 520 + problemText(item).length,
      };
    },
  });
  return { ...line, sandboxEngine: sandbox.engine };
}
