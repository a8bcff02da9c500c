/** What is wrong with the way to an answer, as far as its equations tell. */
import { readNumber } from '../../../src/parsing/number.ts';
import { answerText } from '../../../src/rewards/answer_text.ts';
import { equationsIn } from '../parsing/equations.ts';

const CLOSE = '</answer>';

/** Whether the way to the answer of a completion is flawed, right or not. */
export function isFlawed(completion: string, needsEquations: boolean): boolean {
  const end = completion.lastIndexOf(CLOSE);
  if (end >= 0 && equationsIn(completion.slice(end + CLOSE.length)).length > 0) return true;
  const equations = equationsIn(completion.replaceAll(/<\/?(?:answer|think)>/g, '\n'));
  if (equations.length === 0) return needsEquations;
  if (equations.some(({ isTrue }) => !isTrue)) return true;
  const answer = readNumber(answerText(completion));
  return answer.ok && !equations.some(({ result }) => result.equals(answer.value));
}
