/** Wrong answers of a policy that has no right one, which a user wants to see before changing anything. */
/** A wrong answer, what it was asked, and what would have been right. */
export interface WrongAnswer {
  readonly prompt: string;
  readonly answer: string;
  readonly completion: string;
  /** Why it is refused. */
  readonly reason: string;
}

/** Answers that are shown. */
const SHOWN = 2;
/** Characters of a text that is shown. */
const MOST_CHARACTERS = 80;

/**
 * The commonest wrong answers, each with a prompt, the right answer and why it is refused; undefined if there are none.
 *
 * @returns sentences, which may contain unprintable text of the policy
 */
export function commonestWrong(answers: readonly WrongAnswer[]): string | undefined {
  if (answers.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const { completion } of answers) counts.set(completion, (counts.get(completion) ?? 0) + 1);
  const commonest = [...counts].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  const shown = commonest.map(([completion, count]) => {
    // Every counted completion is one of the answers.
    const { prompt, answer, reason } = answers.find((wrong) => wrong.completion === completion) as WrongAnswer;
    const context = `to ${quoted(prompt)}, where ${quoted(answer)} is right (${reason})`;
    return `${quoted(completion)} ${context}, ${count} of ${answers.length} times`;
  });
  return `The commonest answers: ${shown.join('; ')}.`;
}

function quoted(text: string): string {
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
  return JSON.stringify(short);
}
