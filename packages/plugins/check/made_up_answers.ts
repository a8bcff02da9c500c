/** Answers to some problems of a task as a policy may give them: what a user's reward is tried on. */
import { verdictsOf } from '../../../src/data/judging/judged.ts';
import type { TaskItem } from '../../../src/data/task.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import { RlvrError } from '../../../src/errors.ts';
import type { FinishReason } from '../../../src/finish_reason.ts';
import { rngFor } from '../../../src/kernels/philox.ts';
import {
  type RewardBatch,
  type RewardFunction,
  type ScoredRewards,
  scoreRewards,
} from '../../../src/rewards/reward_function.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';
import { frozen } from '../../zoo/rewards/sandbox/sandbox.ts';

/** What kind of answer it is: the right one, that of another problem, nothing, random tokens, or one that was cut. */
export const ANSWER_KINDS = ['right', 'wrong', 'empty', 'random', 'cut'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

export interface MadeUpAnswer {
  readonly kind: AnswerKind;
  readonly item: TaskItem;
  /** Number of the problem, from 0. */
  readonly group: number;
  readonly tokens: Int32Array;
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly verdict: Verdict;
}

/** No run's: seeds are whole numbers from 0. */
const SEED = -3;
/** Problems that are asked for an answer which is wrong for this one. */
const MOST_OTHERS = 20;

/** One answer of each kind to each problem, with its verdict; kinds that a task cannot have are left out. Always the same. */
export async function madeUpAnswers(tasks: TaskSet, problems: number): Promise<readonly MadeUpAnswer[]> {
  const answers = Array.from({ length: problems }, (_, group) => answersTo(tasks, group)).flat();
  const given = answers.map(({ item, text, finishReason }) => ({ item, completion: text, context: { finishReason } }));
  const verdicts = await verdictsOf(tasks, given);
  return answers.map((answer, i) => ({ ...answer, verdict: verdicts[i] }));
}

function answersTo(tasks: TaskSet, group: number): Omit<MadeUpAnswer, 'verdict'>[] {
  const item = tasks.trainItem(SEED, group);
  const { codec, fixedCompletionTokens } = tasks;
  const right = codec.encode(item.answer);
  const endsItself = fixedCompletionTokens === undefined;
  const answers: Readonly<Record<AnswerKind, Int32Array | undefined>> = {
    right,
    wrong: wrongAnswer(tasks, item, group),
    empty: endsItself ? new Int32Array() : undefined,
    random: randomTokens(tasks, fixedCompletionTokens ?? Math.max(1, right.length), item.key),
    cut: endsItself ? right : undefined,
  };
  return ANSWER_KINDS.flatMap((kind) => {
    const answer = answers[kind];
    if (answer === undefined) return [];
    const finishReason = kind === 'cut' ? 'length' : endsItself ? 'eos' : 'stop';
    const tokens = finishReason === 'eos' ? Int32Array.from([...answer, codec.eosTokenId]) : answer;
    return [{ kind, item, group, tokens, text: codec.decode(answer), finishReason }];
  });
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

function randomTokens({ codec }: TaskSet, length: number, key: string): Int32Array {
  const rng = rngFor(`made up|${key}`);
  const isText = (id: number): boolean => !codec.stopIds.includes(id) && id !== codec.padTokenId;
  const draws = (): number[] => Array.from({ length: MOST_OTHERS }, () => rng.int(0, codec.vocabSize - 1));
  return Int32Array.from({ length }, () => draws().find(isText) ?? 0);
}

/**
 * Asks a reward once, before step 1: about the answers to one problem.
 *
 * @returns what is wrong, in words
 */
export async function tryReward(reward: RewardFunction, tasks: TaskSet): Promise<readonly string[]> {
  try {
    return failuresIn(await scoreRewards([reward], batchOf(await madeUpAnswers(tasks, 1))));
  } catch (error) {
    if (RlvrError.is(error)) return []; // the task itself fails, which the run meets and says of the task
    throw error;
  }
}

/** Messages name the step of a batch; these belong to none. */
export function failuresIn({ failures }: ScoredRewards): string[] {
  return failures.map(({ message }) => message.replace(/ in step 1\b/g, ' before step 1'));
}

/** A batch of these answers. @param progress  of the stage, 0 to 1 */
export function batchOf(answers: readonly MadeUpAnswer[], progress = 0): RewardBatch {
  return frozen({
    prompts: answers.map(({ item }) => item.prompt),
    completions: answers.map(({ text }) => text),
    completionTokens: answers.map(({ tokens }) => tokens),
    items: answers.map(({ item }) => item),
    groupOf: Int32Array.from(answers, ({ group }) => group),
    verdicts: answers.map(({ verdict }) => verdict),
    finishReasons: answers.map(({ finishReason }) => finishReason),
    trainerState: { step: 0, progress },
  });
}
