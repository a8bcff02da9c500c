/**
 * A text that keeps to one to four instructions about its form. Any that keeps all of them is right, and a text without a
 * letter or a digit keeps none.
 *
 * Words that a problem asks for are made up, so that no text fits many problems, and neither prompt nor question keeps what
 * it asks: an echo is no answer.
 */
import { type Instruction, keepsInstruction } from '../../../parsing/instruction.ts';
import { isVisible } from '../../../parsing/visible_words.ts';
import { correct, lineTask, missing, trimAscii, wrongValue } from '../../kit.ts';
import { type ConstraintsKnobs, constraintsCard } from './card.ts';
import { drawInstructions, isSpecific, wordingOf } from './instructions.ts';
import { keepsAll, writtenFor } from './writer.ts';

export type ConstraintsItem = { readonly instructions: readonly Instruction[] };

const LONGEST_ANSWER = 160;

const promptOf = ({ instructions }: ConstraintsItem): string =>
  `write ${instructions.map((one) => wordingOf(one)[0]).join('; ')}>`;

const questionOf = ({ instructions }: ConstraintsItem): string =>
  `Write a text that keeps to the following: ${instructions.map((one) => wordingOf(one)[1]).join('; ')}.`;

export const constraints = lineTask<ConstraintsItem, ConstraintsKnobs>(constraintsCard, {
  characters: `\n abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;"'[]{}()<>*-=/`,
  answers: 'open',
  generate(rng, { instructions: most, kinds }) {
    const instructions = drawInstructions(rng, rng.int(1, most), kinds === 'words');
    const item = { instructions };
    if (!instructions.some(isSpecific)) return null;
    const text = writtenFor(instructions);
    const isFound = text !== undefined && text.length <= LONGEST_ANSWER;
    const isEchoed = keepsAll(promptOf(item), instructions) || keepsAll(questionOf(item), instructions);
    return isFound && !isEchoed ? item : null;
  },
  key: ({ instructions }) =>
    `constraints|${instructions
      .map((one) => wordingOf(one)[0])
      .sort()
      .join(';')}`,
  prompt: promptOf,
  question: questionOf,
  oracle: ({ instructions }) => writtenFor(instructions) as string, // generate gives only problems that have one
  verify({ instructions }, answer) {
    if (!isVisible(answer)) return missing('there is no letter and no digit');
    const kept = instructions.map((instruction) => keepsInstruction(answer, instruction));
    const share = kept.filter(Boolean).length / kept.length;
    const parts = {
      instructions: share,
      ...Object.fromEntries(instructions.map(({ kind }, i) => [kind, kept[i] ? 1 : 0])),
    };
    if (share === 1) return { ...correct('it keeps to all instructions', trimAscii(answer)), parts };
    return { ...wrongValue(`it does not keep to ${instructions[kept.indexOf(false)]?.kind}`), parts };
  },
  mutants({ instructions }) {
    const right = writtenFor(instructions) as string;
    const words = right.split(' ');
    const texts: Record<string, string> = {
      'first word left out': words.slice(1).join(' '),
      'last word left out': words.slice(0, -1).join(' '),
      'given twice': `${right} ${right}`,
      'given twice, in lines': `${right}\n\n${right}`,
      'in capitals': right.toUpperCase(),
      'in small letters': right.toLowerCase(),
      'words joined': words.join(''),
      'last character left out': right.slice(0, -1),
      'commas for spaces': words.join(', '),
      'signs alone': right.replace(/[A-Za-z0-9]/g, '.'),
      'the instructions': promptOf({ instructions }).slice(0, -1),
      'a promise': 'I have kept to all instructions',
      stars: '******',
    };
    return Object.fromEntries(Object.entries(texts).filter(([, text]) => !keepsAll(text, instructions)));
  },
  chance: () => 0.01,
  longest: ({ instructions }) => ({
    prompt: 7 + 30 * instructions,
    answer: LONGEST_ANSWER,
    question: 60 + 90 * instructions,
  }),
});
