/** The answer of a completion: the text in its answer tags if there is one pair, nothing if there are more. */
import { extractAnswer } from '../parsing/extract.ts';
import { trimAscii } from '../parsing/trim_ascii.ts';

const OPEN = '<answer>';

/** A completion without tags is all answer. Without white space around it. */
export function answerText(completion: string): string {
  const answer = extractAnswer(completion, 'only');
  if (answer.ok) return answer.answer;
  return completion.includes(OPEN) ? '' : trimAscii(completion);
}

/** Replaces the answer of a completion: within its tags if it has some, else the whole text. */
export function withAnswer(completion: string, answer: string): string {
  return completion.includes(OPEN) ? `${OPEN}${answer}</answer>` : answer;
}
