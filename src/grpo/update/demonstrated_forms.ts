/**
 * Demonstrations in the forms in which methods of later stages prompt the policy, such as a verdict after an answer: a
 * small policy knows only the forms that it was shown.
 */
import { atOnce } from '../../data/judging/judged.ts';
import type { Demonstration } from '../../data/prompts/dialogue_tokens.ts';
import { followUpTokens } from '../../data/prompts/follow_up.ts';
import type { TaskItem } from '../../data/task.ts';
import type { TaskSet } from '../../data/task_set.ts';
import { type Rng, rngFor } from '../../kernels/philox.ts';
import { wordTokens } from '../../text/control_words.ts';
import { completionText } from '../rollout/complete.ts';
import type { SupervisedStep } from '../step.ts';

const USUAL_SHARE = 0.25;

/** The problem in the form of a method, or undefined: as it is. Pure in seed, stage and index. */
export function inForm(
  tasks: TaskSet,
  { seed, stageIndex, forms, stage: { formShare = USUAL_SHARE, rows } }: SupervisedStep,
  item: TaskItem,
  index: number,
): Demonstration | undefined {
  if (forms.length === 0 || rows !== undefined) return undefined; // the user's rows are no problems of the run
  const rng = rngFor(`form|${seed}|${stageIndex}|${index}`);
  if (rng.float() >= formShare) return undefined;
  const { id, part: demonstrate } = forms[rng.int(0, forms.length - 1)];
  const answer = withoutEnd(tasks, tasks.demonstrationTokens(item, seed, index));
  const attempt = attemptAt(tasks, id, item, seed, index, rng);
  return demonstrate({
    item,
    prompt: tasks.promptTokens(item),
    rng,
    answer,
    isAnswerRight: isRight(tasks, id, item, answer),
    ...attempt,
    word: (name) => wordTokens(tasks.codec, name),
    followUp: (...turns) => followUpTokens(tasks, item, turns),
    shown: (shownItem, ...texts) => tasks.shownTokens(shownItem, ...texts),
    ended: (tokens) => ended(tasks, tokens),
  });
}

/** A right answer half of the time, if the task knows one, otherwise another problem's. */
function attemptAt(tasks: TaskSet, id: string, item: TaskItem, seed: number, index: number, rng: Rng) {
  const other = rng.float() < 0.5 ? item : tasks.trainItem(seed, index + 1 + rng.int(0, 999));
  const answerTokens = tasks.codec.encode(other.answer);
  const attempt =
    answerTokens.length > 0 ? answerTokens : withoutEnd(tasks, tasks.demonstrationTokens(other, seed, index));
  return { attempt, isAttemptRight: isRight(tasks, id, item, attempt) };
}

function isRight(tasks: TaskSet, id: string, item: TaskItem, answer: Int32Array): boolean {
  const text = completionText(tasks, { tokens: answer, finishReason: 'stop' });
  return atOnce(`method "${id}"`, () => tasks.verify(item, text, { finishReason: 'eos' })).score === 1;
}

function withoutEnd({ fixedCompletionTokens }: TaskSet, tokens: Int32Array): Int32Array {
  return fixedCompletionTokens === undefined ? tokens.subarray(0, -1) : tokens;
}

function ended({ codec, fixedCompletionTokens }: TaskSet, tokens: Int32Array): Int32Array {
  return fixedCompletionTokens === undefined ? Int32Array.from([...tokens, codec.eosTokenId]) : tokens;
}
