/** What a completion answers: the text in its answer tags where there is one pair of them, nothing where there are more. */
import { extractAnswer } from '../parsing/extract.ts';
import { trimAscii } from '../parsing/trim_ascii.ts';

const OPEN = '<answer>';

/** A completion without tags is all answer. Without white space around it. */
export function answerText(completion: string): string {
  const answer = extractAnswer(completion, 'only');
  if (answer.ok) return answer.answer;
  return completion.includes(OPEN) ? '' : trimAscii(completion);
}

/** The completion with another answer in the place of its own: in tags where those are, else the answer alone. */
export function withAnswer(completion: string, answer: string): string {
  return completion.includes(OPEN) ? `${OPEN}${answer}</answer>` : answer;
}
