/** Texts that are no answers, and texts near an answer: what policies have found out that public verifiers accept. */
import type { Rng } from '../../../../src/kernels/philox.ts';

/** No answer to any problem, unless it says by chance what is asked. */
export const JUNK: readonly string[] = [
  '',
  ' ',
  '\n\t\r ',
  'correct',
  'True',
  'true false',
  'x',
  '0',
  '1',
  'NaN',
  '-1',
  'none',
  'Solution:',
  '('.repeat(10_000),
  '1 + '.repeat(250_000),
  '\0',
  '\ud800',
  '\u202e1 + 2\u200b',
  '<|im_end|>',
  '<eos>',
  '<answer></answer>',
  '__proto__',
  'constructor',
  '1 + 2 = 3 , '.repeat(1000),
  '[]',
  '{}',
  '2**5',
  '__import__("os")',
];

/** What surrounds a right answer here makes it another text, which is right nowhere that answers are listed. */
export function wrapped(answer: string, other: string, prompt: string): Record<string, string> {
  const texts: Record<string, string> = {
    twice: `${answer}${answer}`,
    'twice, spaced': `${answer} ${answer}`,
    'twice, in lines': `${answer}\n${answer}`,
    'twice, with a comma': `${answer}, ${answer}`,
    'in a sentence': `the answer is ${answer}`,
    'with a comment': `${answer} (I am sure)`,
    'with a hash comment': `${answer} #x`,
    'behind the prompt': `${prompt}${answer}`,
    'before the prompt': `${answer}${prompt}`,
    'with a special token': `${answer}<eos>`,
    'special token first': `<pad>${answer}`,
    'in tags': `<answer>${answer}</answer>`,
    'in two boxes': `\\boxed{${answer}} \\boxed{${answer}}`,
    negated: `not ${answer}`,
    'with a zero width space': `${answer}\u200b`,
    'with a no-break space': `\u00a0${answer}`,
  };
  if (other !== answer) {
    texts['this or another'] = `${answer} or ${other}`;
    texts['another or this'] = `${other} or ${answer}`;
    texts['this and another'] = `${answer}, ${other}`;
    texts['another, then this'] = `${other}\n${answer}`;
    texts['another and this'] = `${other} ${answer}`;
  }
  return texts;
}

const CONFUSABLE: Readonly<Record<string, string>> = {
  '0': '\uff10',
  '1': '\u0661',
  '2': '\u00b2',
  '-': '\u2010',
  a: '\u0430',
  b: '\u0412',
  e: '\u0435',
  o: '\u043e',
  ' ': '\u2003',
};

/** Characters that one edit may bring in, besides those of the task. */
const FOREIGN = [...'0123456789 -+*/=.,()[]<>_aAxX', '\n', '\t', '\u2212', '\u00d7', '\uff11', '\u200b'];

/**
 * One to three edits of a text: a character dropped, doubled, replaced, brought in, or two of them swapped; or the whole
 * reversed, in capitals, cut, or in look-alikes. It may be the text again.
 */
export function mutated(text: string, alphabet: readonly string[], rng: Rng): string {
  if (rng.int(0, 7) === 0) return rebuilt(text, rng);
  let pieces = text.split('');
  for (let edits = rng.weighted([0, 5, 2, 1]); edits > 0; edits--) pieces = edited(pieces, alphabet, rng);
  return pieces.join('');
}

function rebuilt(text: string, rng: Rng): string {
  const forms = [
    () => text.split('').reverse().join(''),
    () => text.toUpperCase(),
    () => text.toLowerCase(),
    () => text.slice(0, rng.int(0, text.length)),
    () => text.slice(rng.int(0, text.length)),
    () => `${text} ${text.slice(0, rng.int(0, text.length))}`,
    () =>
      text
        .split('')
        .map((character) => CONFUSABLE[character] ?? character)
        .join(''),
    () => `(${text})`,
    () => `[${text}]`,
    () => `"${text}"`,
    () => ` ${text}\n`,
    () => text.replace(/[^A-Za-z0-9]/g, ''),
    () => text.split('').join(' '),
    () => text.split('').sort().join(''),
  ];
  return rng.pick(forms)();
}

function edited(pieces: readonly string[], alphabet: readonly string[], rng: Rng): string[] {
  const copy = [...pieces];
  const at = rng.int(0, Math.max(0, copy.length - 1));
  const fresh = rng.pick(rng.int(0, 3) === 0 ? FOREIGN : alphabet);
  switch (copy.length === 0 ? 2 : rng.int(0, 4)) {
    case 0:
      copy.splice(at, 1);
      break;
    case 1:
      copy[at] = fresh;
      break;
    case 2:
      copy.splice(rng.int(0, copy.length), 0, fresh);
      break;
    case 3:
      copy.splice(at, 0, copy[at] as string);
      break;
    default: {
      const other = rng.int(0, copy.length - 1);
      [copy[at], copy[other]] = [copy[other] as string, copy[at] as string];
    }
  }
  return copy;
}
