/**
 * What a tokenizer makes of right answers. One that normalises texts (NFC, line ends, case) gives another text back than a row
 * has, and a verifier that compares texts would then never say that an answer is right, whatever is learned.
 */
import type { Codec } from '../../../../src/text/codec.ts';
import { type AnswerReader, verifyExtracted } from './answers.ts';
import type { DatasetKnobs } from './card.ts';
import type { DatasetProblem } from './problem.ts';
import type { Row } from './row.ts';

/** Texts that a tokenizer which changes any changes alike: a few of them are enough. */
const PLAIN = /^[ -~\n]*$/;
const PLAIN_TEXTS = 64;

/** The flaw of a row; undefined where its demonstration is judged the same once it was encoded and decoded. */
export type Reread = (problem: DatasetProblem, row: Row) => string | undefined;

export function rereadBy(codec: Codec, { extract }: DatasetKnobs, answers: AnswerReader): Reread {
  let plainTexts = 0;
  return ({ completion, truth }, row) => {
    if (PLAIN.test(completion) && ++plainTexts > PLAIN_TEXTS) return undefined;
    const read = codec.decode(codec.encode(completion));
    if (read === completion) return undefined;
    const verdictOn = (text: string) =>
      verifyExtracted(text, { finishReason: 'eos' }, extract, (answer) => answers.judge(answer, truth, row));
    const { score, reason } = verdictOn(read);
    if (score === 1 || verdictOn(completion).score !== 1) return undefined;
    const [given, got] = [completion, read].map(shownAround(firstDifference(completion, read)));
    return `what is shown is right as the row has it (${given}) and not as the tokenizer gives it back (${got}): ${reason}`;
  };
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (one[at] === other[at]) at++;
  return at;
}

/** A few characters from just before a place on, with those that cannot be told apart as their numbers. */
function shownAround(at: number): (text: string) => string {
  return (text) =>
    JSON.stringify(text.slice(Math.max(0, at - 8), at + 8)).replaceAll(
      /[^ -~]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
