/** Answers to some problems of a task as a policy may give them: what a user's reward and method are tried on. */
import { correct } from '../../../src/data/judge.ts';
import { verdictsOf } from '../../../src/data/judging/judged.ts';
import type { TaskItem } from '../../../src/data/task.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import type { FinishReason } from '../../../src/finish_reason.ts';
import { type Rng, rngFor } from '../../../src/kernels/philox.ts';
import type { VerifiedCompletion } from '../../../src/methods/records.ts';
import { truncated, wrongValue } from '../../../src/rewards/reject.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';

/** What kind of answer it is: the right one, that of another problem, nothing, random tokens, or one that was cut. */
export const ANSWER_KINDS = ['right', 'wrong', 'empty', 'random', 'cut'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

export interface MadeUpAnswer {
  readonly kind: AnswerKind;
  readonly item: TaskItem;
  /** Number of the problem, from 0. */
  readonly group: number;
  readonly completion: VerifiedCompletion;
}

/** No run's: seeds are whole numbers from 0. */
const SEED = -3;
/** Problems that are asked for an answer which is wrong for this one. */
const MOST_OTHERS = 20;

/**
 * One answer of each kind to each problem; kinds that a task cannot have are left out. Always the same. Where verdicts take
 * time, those are made up, too: `withVerdicts` asks for them.
 */
export function madeUpAnswers(tasks: TaskSet, problems: number): MadeUpAnswer[] {
  return Array.from({ length: problems }, (_, group) => answersTo(tasks, group)).flat();
}

function answersTo(tasks: TaskSet, group: number): MadeUpAnswer[] {
  const item = tasks.trainItem(SEED, group);
  const rng = rngFor(`made up|${item.key}`);
  const { codec, fixedCompletionTokens } = tasks;
  const right = codec.encode(item.answer);
  const endsItself = fixedCompletionTokens === undefined;
  const tokensOf: Readonly<Record<AnswerKind, Int32Array | undefined>> = {
    right,
    wrong: wrongAnswer(tasks, item, group),
    empty: endsItself ? new Int32Array() : undefined,
    random: randomTokens(tasks, fixedCompletionTokens ?? Math.max(1, right.length), rng),
    cut: endsItself ? right : undefined,
  };
  return ANSWER_KINDS.flatMap((kind) => {
    const tokens = tokensOf[kind];
    if (tokens === undefined) return [];
    const finishReason = kind === 'cut' ? 'length' : endsItself ? 'eos' : 'stop';
    return [{ kind, item, group, completion: completionOf(tasks, { item, kind }, tokens, finishReason, rng) }];
  });
}

/** The same with the verdicts of their task. */
export async function withVerdicts(tasks: TaskSet, answers: readonly MadeUpAnswer[]): Promise<readonly MadeUpAnswer[]> {
  if (tasks.judge === undefined) return answers;
  const given = answers.map(({ item, completion: { text, finishReason } }) => ({
    item,
    completion: text,
    context: { finishReason },
  }));
  const verdicts = await verdictsOf(tasks, given);
  return answers.map((answer, i) => ({ ...answer, completion: { ...answer.completion, verdict: verdicts[i] } }));
}

function madeUpVerdict(kind: AnswerKind): Verdict {
  if (kind === 'right') return correct('made up', '');
  return kind === 'cut' ? truncated() : wrongValue('made up');
}

/** What another problem asks for, where that is wrong here. */
function wrongAnswer(tasks: TaskSet, item: TaskItem, group: number): Int32Array | undefined {
  for (let other = 1; other <= MOST_OTHERS; other++) {
    const { answer } = tasks.trainItem(SEED, group + other);
    const isRight = tasks.judge
      ? answer === item.answer
      : tasks.verify(item, answer, { finishReason: 'eos' }).score === 1;
    if (!isRight) return tasks.codec.encode(answer);
  }
  return undefined;
}

function randomTokens({ codec }: TaskSet, length: number, rng: Rng): Int32Array {
  const isText = (id: number): boolean => !codec.stopIds.includes(id) && id !== codec.padTokenId;
  const draws = (): number[] => Array.from({ length: MOST_OTHERS }, () => rng.int(0, codec.vocabSize - 1));
  return Int32Array.from({ length }, () => draws().find(isText) ?? 0);
}

function completionOf(
  tasks: TaskSet,
  { item, kind }: Pick<MadeUpAnswer, 'item' | 'kind'>,
  answer: Int32Array,
  finishReason: FinishReason,
  rng: Rng,
): VerifiedCompletion {
  const { codec } = tasks;
  const text = codec.decode(answer);
  const tokens = finishReason === 'eos' ? Int32Array.from([...answer, codec.eosTokenId]) : answer;
  const { length } = tokens;
  return {
    tokens,
    logprobs: Float32Array.from({ length }, () => -2 * rng.float()),
    entropies: Float32Array.from({ length }, () => 2 * rng.float()),
    keptLogMass: new Float32Array(length),
    finishReason,
    text,
    verdict: tasks.judge ? madeUpVerdict(kind) : tasks.verify(item, text, { finishReason }),
  };
}
