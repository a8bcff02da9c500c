/** The instructions that a problem may have: how each is drawn, and how it is said in a few signs and in words. */
import type { Rng } from '../../../../../src/kernels/philox.ts';
import type { Count, Instruction } from '../../../parsing/instruction.ts';

export type Kind = Instruction['kind'];

interface Drawing {
  /** About words and letters of a single line. */
  readonly isSimple?: true;
  draw(rng: Rng): Instruction;
}

const CONSONANTS = 'bdfglmnprst';
const VOWELS = 'aeiou';
/** No made-up word, and no filler, has one of these. */
const RARE_LETTERS = ['q', 'j', 'z', 'x'] as const;

/** A made-up word of two syllables. */
function drawPseudoWord(rng: Rng): string {
  const of = (letters: string): string => letters[rng.int(0, letters.length - 1)] as string;
  return of(CONSONANTS) + of(VOWELS) + of(CONSONANTS) + of(VOWELS);
}

function drawPhrase(rng: Rng, most: number): string {
  return Array.from({ length: rng.int(1, most) }, () => drawPseudoWord(rng)).join(' ');
}

/** An exact count in half of the cases, and seldom a most. */
function drawCount(rng: Rng, least: number, most: number): Count {
  const count = rng.int(least, most);
  const kind = rng.weighted([5, 4, 1]);
  return kind === 0 ? { exactly: count } : kind === 1 ? { least: count } : { most: count };
}

const alone = (kind: 'no_commas' | 'lowercase' | 'uppercase' | 'quoted' | 'title' | 'json' | 'two_answers') => ({
  draw: (): Instruction => ({ kind }),
});

const DRAWINGS: { readonly [K in Kind]: Drawing } = {
  no_commas: { isSimple: true, ...alone('no_commas') },
  lowercase: { isSimple: true, ...alone('lowercase') },
  uppercase: { isSimple: true, ...alone('uppercase') },
  quoted: { isSimple: true, ...alone('quoted') },
  title: alone('title'),
  json: alone('json'),
  two_answers: alone('two_answers'),
  words: { isSimple: true, draw: (rng) => ({ kind: 'words', ...drawCount(rng, 2, 9) }) },
  sentences: { draw: (rng) => ({ kind: 'sentences', ...drawCount(rng, 2, 4) }) },
  paragraphs: { draw: (rng) => ({ kind: 'paragraphs', ...drawCount(rng, 2, 4) }) },
  bullets: { draw: (rng) => ({ kind: 'bullets', ...drawCount(rng, 1, 4) }) },
  placeholders: { draw: (rng) => ({ kind: 'placeholders', ...drawCount(rng, 1, 3) }) },
  highlights: { draw: (rng) => ({ kind: 'highlights', ...drawCount(rng, 1, 3) }) },
  capital_words: { draw: (rng) => ({ kind: 'capital_words', ...drawCount(rng, 1, 3) }) },
  keyword: {
    isSimple: true,
    draw: (rng) => ({
      kind: 'keyword',
      word: drawPseudoWord(rng),
      ...(rng.int(0, 5) === 0 ? { exactly: 0 } : drawCount(rng, 1, 4)),
    }),
  },
  letter: {
    isSimple: true,
    draw: (rng) => ({ kind: 'letter', letter: rng.pick(RARE_LETTERS), ...drawCount(rng, 1, 5) }),
  },
  ends_with: { isSimple: true, draw: (rng) => ({ kind: 'ends_with', text: drawPhrase(rng, 2) }) },
  starts_with: { isSimple: true, draw: (rng) => ({ kind: 'starts_with', text: drawPhrase(rng, 3) }) },
  postscript: { draw: (rng) => ({ kind: 'postscript', text: rng.pick(['P.S.', 'P.P.S.']) }) },
  sections: {
    draw: (rng) => ({ kind: 'sections', mark: rng.pick(['Part', 'Section', 'Day']), ...drawCount(rng, 1, 3) }),
  },
  one_of: {
    isSimple: true,
    draw: (rng) => ({ kind: 'one_of', texts: Array.from({ length: rng.int(2, 3) }, () => drawPseudoWord(rng)) }),
  },
  first_word: { draw: (rng) => ({ kind: 'first_word', paragraph: rng.int(1, 3), word: drawPseudoWord(rng) }) },
};

const KINDS = Object.keys(DRAWINGS) as Kind[];
const SIMPLE_KINDS = KINDS.filter((kind) => DRAWINGS[kind].isSimple);

/** `count` instructions of different kinds. */
export function drawInstructions(rng: Rng, count: number, isSimple: boolean): Instruction[] {
  const kinds = rng.shuffle([...(isSimple ? SIMPLE_KINDS : KINDS)]);
  return kinds.slice(0, count).map((kind) => DRAWINGS[kind].draw(rng));
}

/** Whether a text that does not know the problem hardly keeps it: it asks for words that were made up. */
export function isSpecific(instruction: Instruction): boolean {
  switch (instruction.kind) {
    case 'keyword':
      return ('exactly' in instruction && instruction.exactly > 0) || 'least' in instruction;
    case 'ends_with':
    case 'starts_with':
    case 'one_of':
    case 'first_word':
      return true;
    default:
      return false;
  }
}

const PLAIN_TERMS: Partial<Record<Kind, readonly [term: string, sentence: string]>> = {
  no_commas: ['no commas', 'use no commas'],
  lowercase: ['small letters', 'write in small letters alone'],
  uppercase: ['capital letters', 'write in capital letters alone'],
  quoted: ['quoted', 'put all of it in double quotes'],
  title: ['title', 'give it a title in double angle brackets, such as <<title>>'],
  json: ['json', 'write it as JSON'],
  two_answers: ['two answers', 'give two different texts with ****** between them'],
};

/** `s`: the plural. */
const COUNTED: Partial<Record<Kind, readonly [term: string, sentence: (count: string, s: string) => string]>> = {
  words: ['words', (count, s) => `use ${count} word${s}`],
  sentences: ['sentences', (count, s) => `write ${count} sentence${s}`],
  paragraphs: ['paragraphs', (count, s) => `write ${count} paragraph${s} with an empty line between them`],
  bullets: ['bullets', (count, s) => `make ${count} bullet point${s}, each a line that begins with - or * and a space`],
  placeholders: ['placeholders', (count, s) => `have ${count} placeholder${s} in square brackets, such as [name]`],
  highlights: ['highlights', (count, s) => `highlight ${count} part${s}, such as *this*`],
  capital_words: ['capital words', (count, s) => `have ${count} word${s} in capital letters`],
};

function countOf(instruction: Instruction): readonly [sign: string, words: string] {
  if ('exactly' in instruction) return [`= ${instruction.exactly}`, `exactly ${instruction.exactly}`];
  if ('least' in instruction) return [`>= ${instruction.least}`, `at least ${instruction.least}`];
  return 'most' in instruction ? [`<= ${instruction.most}`, `at most ${instruction.most}`] : ['', ''];
}

/** An instruction as a compact prompt has it, and as a question has it. */
export function wordingOf(instruction: Instruction): readonly [term: string, sentence: string] {
  const [sign, count] = countOf(instruction);
  const plural = count.endsWith(' 1') ? '' : 's';
  const plain = PLAIN_TERMS[instruction.kind];
  if (plain !== undefined) return plain;
  const counted = COUNTED[instruction.kind];
  if (counted !== undefined) return [`${counted[0]} ${sign}`, counted[1](count, plural)];
  switch (instruction.kind) {
    case 'keyword':
      return [`word ${instruction.word} ${sign}`, `have the word ${instruction.word} ${count} time${plural}`];
    case 'letter':
      return [`letter ${instruction.letter} ${sign}`, `have the letter ${instruction.letter} ${count} time${plural}`];
    case 'ends_with':
      return [`end ${instruction.text}`, `after other text, end with "${instruction.text}"`];
    case 'starts_with':
      return [`start ${instruction.text}`, `begin with "${instruction.text}" and go on`];
    case 'postscript':
      return [`postscript ${instruction.text}`, `let the last line begin with ${instruction.text} and go on`];
    case 'sections':
      return [
        `sections ${instruction.mark} ${sign}`,
        `make ${count} section${plural}, each with a line such as ${instruction.mark} 1`,
      ];
    case 'one_of':
      return [`one of ${instruction.texts.join('/')}`, `write nothing but one of "${instruction.texts.join('", "')}"`];
    case 'first_word':
      return [
        `paragraph ${instruction.paragraph} ${instruction.word}`,
        `begin paragraph ${instruction.paragraph} with the word ${instruction.word}`,
      ];
    default:
      throw new RangeError(`${instruction.kind} has no wording`);
  }
}
