/** Ways to turn an answer into a text that a policy might try instead, or in addition. The result may be right after all. */
import type { Rng } from '../../../../src/kernels/philox.ts';
import type { Codec } from '../../../../src/text/codec.ts';
import { mutated } from './probes.ts';

/** What an attempt is made of. */
export interface AttemptSource {
  /** A right answer, or that of another problem. */
  readonly answer: string;
  readonly prompt: string;
  /** An answer of a problem that is drawn. */
  anotherAnswer(): string;
  /** Characters of answers and vocabulary. */
  readonly alphabet: readonly string[];
  readonly codec: Codec;
  readonly rng: Rng;
}

const SEPARATORS = [' ', ', ', ',', '\n', ' or ', ' and ', '; ', ' | ', '/', '', ' = '] as const;

const ENCLOSURES: readonly (readonly [before: string, after: string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['"', '"'],
  ["'", "'"],
  ['$', '$'],
  ['\\boxed{', '}'],
  ['\\(', '\\)'],
  ['<answer>', '</answer>'],
  ['```\n', '\n```'],
  [' ', ' '],
];

/** First characters of alphabets that look like digits, capitals and small letters. */
const LOOK_ALIKES: readonly { readonly digit?: number; readonly capital?: number; readonly small?: number }[] = [
  { digit: 0xff10, capital: 0xff21, small: 0xff41 }, // full width
  { digit: 0x0660 }, // Arabic
  { digit: 0x0966 }, // Devanagari
  { digit: 0x1d7ce, capital: 0x1d400, small: 0x1d41a }, // mathematical, bold
  { digit: 0x2080 }, // subscripts
  { small: 0x0430, capital: 0x0410 }, // Cyrillic
];

/** Signs that look like those of ASCII. The minus, the cross and the obelus are signs of arithmetic to some tasks. */
const SIGNS: Readonly<Record<string, string>> = {
  '-': '\u2010\u2013\u2212\uff0d\ufe63',
  '+': '\uff0b\ufe62',
  '*': '\u00d7\u2217\u22c5',
  '/': '\u00f7\u2215\uff0f',
  ' ': '\u00a0\u2003\u3000\t\v',
  ',': '\uff0c\u201a\u060c',
  '.': '\uff0e\u3002\u00b7',
  '(': '\uff08',
  ')': '\uff09',
};

const INVISIBLE = [
  ...['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u00a0', '\u202e', '\u200f', '\u0301', '\ufe0f'],
  ...['\0', '\v', '\f', '\r', '\u0085', '\u2028', '\u001b[8m'],
];

const SPECIAL_TOKENS = [
  ...['<eos>', '<pad>', '<bos>', '</s>', '<s>', '<unk>', '<|im_end|>', '<|endoftext|>', '<|eot_id|>', '[INST]'],
  ...['<think>', '</think>', '<answer>', '</answer>', '</answer><answer>'],
];

/** Other ways to write what may be the same. */
const NOTATIONS: readonly ((text: string) => string)[] = [
  (text) => ` ${text}`,
  (text) => `${text}\n`,
  (text) => `+${text}`,
  (text) => `${text}.0`,
  (text) => `${text}.`,
  (text) => `0${text}`,
  (text) => `${text}/1`,
  (text) => `${text}e0`,
  (text) => `x = ${text}`,
  (text) => `${text};`,
  (text) => text.replace(/(?<=[0-9])(?=(?:[0-9]{3})+$)/g, ','),
  (text) => text.replace(/[ ,]+/g, ', '),
  (text) => text.replace(/[ ,]+/g, ' '),
  (text) => text.replace(/[ ,]+/g, '\n'),
  (text) => text.replace(/\n/g, ' / '),
  (text) => text.replace(/[\n ]+/g, ''),
  (text) => `[${text.replace(/[ ,]+/g, ', ')}]`,
  (text) => `["${text.split(/[ ,]+/).join('","')}"]`,
  (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`,
  (text) => text.toUpperCase(),
  (text) => `${text}%`,
  (text) => text.split('').join(' '),
];

export const attemptOf = {
  /** One to three edits by character, or the whole rebuilt. */
  'by character': ({ answer, alphabet, rng }: AttemptSource) => mutated(answer, alphabet, rng),
  'by token': byToken,
  'as it is': ({ answer }: AttemptSource) => answer,
  /** Several answers, for one of them to be right. */
  list({ answer, anotherAnswer, rng }: AttemptSource) {
    const answers = [answer, ...Array.from({ length: rng.int(1, 4) }, anotherAnswer)];
    return rng.shuffle(answers).join(rng.pick(SEPARATORS));
  },
  repeated: ({ answer, rng }: AttemptSource) =>
    new Array<string>(rng.int(2, 5)).fill(answer).join(rng.pick(SEPARATORS)),
  nested({ answer, rng }: AttemptSource) {
    let text = answer;
    for (let depth = rng.int(1, 3); depth > 0; depth--) {
      const [before, after] = rng.pick(ENCLOSURES);
      text = `${before}${text}${rng.int(0, 9) === 0 ? '' : after}`;
    }
    return text;
  },
  'in look-alikes': lookAlike,
  'with what is not seen': ({ answer, rng }: AttemptSource) => withPieces(answer, INVISIBLE, rng),
  'with special tokens': ({ answer, rng }: AttemptSource) => withPieces(answer, SPECIAL_TOKENS, rng),
  /** The prompt, or a piece of it, alone or beside the answer. */
  echo({ answer, prompt, rng }: AttemptSource) {
    const from = rng.int(0, prompt.length - 1);
    const piece = rng.int(0, 1) === 0 ? prompt : prompt.slice(from, rng.int(from, prompt.length));
    return rng.pick([piece, `${piece}${answer}`, `${answer}${piece}`, `${piece} ${answer}`, `${answer}\n${piece}`]);
  },
  'in another notation'({ answer, rng }: AttemptSource) {
    const once = rng.pick(NOTATIONS)(answer);
    return rng.int(0, 2) === 0 ? rng.pick(NOTATIONS)(once) : once;
  },
} satisfies Record<string, (source: AttemptSource) => string>;

export type AttemptKind = keyof typeof attemptOf;

export const attemptKinds = Object.keys(attemptOf) as readonly AttemptKind[]; // an object literal has these keys alone

/** One token replaced, dropped or brought in; of several turns, which are a line each, in one of them. */
function byToken({ answer, codec, rng }: AttemptSource): string {
  const turns = answer.split('\n');
  const turn = turns.length === 1 ? 0 : rng.int(0, turns.length - 1);
  const ids = [...codec.encode(turns[turn])];
  const at = rng.int(0, ids.length);
  const fresh = rng.int(0, codec.vocabSize - 1);
  ids.splice(at, rng.int(0, 1), ...(rng.int(0, 3) === 0 ? [] : [fresh]));
  return turns.with(turn, codec.decode(ids)).join('\n');
}

/** Some characters, or all, replaced by some that look alike. */
function lookAlike({ answer, rng }: AttemptSource): string {
  const { digit, capital, small } = rng.pick(LOOK_ALIKES);
  const isAll = rng.int(0, 1) === 0;
  const one = rng.int(0, Math.max(0, answer.length - 1));
  return answer
    .split('')
    .map((character, place) => {
      if (!isAll && place !== one) return character;
      const signs = SIGNS[character];
      if (signs !== undefined) return rng.pick([...signs]);
      return (
        shifted(character, '0', '9', digit) ??
        shifted(character, 'A', 'Z', capital) ??
        shifted(character, 'a', 'z', small) ??
        character
      );
    })
    .join('');
}

function shifted(character: string, first: string, last: string, to: number | undefined): string | undefined {
  if (to === undefined || character < first || character > last) return undefined;
  return String.fromCodePoint(to + character.charCodeAt(0) - first.charCodeAt(0));
}

/** With one to three pieces somewhere in it. */
function withPieces(answer: string, pieces: readonly string[], rng: Rng): string {
  let text = answer;
  for (let count = rng.int(1, 3); count > 0; count--) {
    const at = rng.int(0, text.length);
    text = text.slice(0, at) + rng.pick(pieces) + text.slice(at);
  }
  return text;
}
