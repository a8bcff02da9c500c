/** A reward tried on made-up answers: what it breaks of its contract, what it pays for what, and what it costs. */
import type { TaskSet } from '../../../src/data/task_set.ts';
import { RlvrError } from '../../../src/errors.ts';
import {
  type RewardBatch,
  type RewardFunction,
  type RewardValues,
  scoreRewards,
} from '../../../src/rewards/reward_function.ts';
import type { RewardLogs } from '../../../src/rewards/reward_log.ts';
import { frozen } from '../../../src/rewards/sandbox/sandbox.ts';

import { ANSWER_KINDS, type AnswerKind, type MadeUpAnswer, madeUpAnswers, withVerdicts } from './made_up_answers.ts';
import { shortNumber } from './say.ts';

/** What a reward pays for one kind of answer. */
export interface PaidKind {
  readonly kind: AnswerKind;
  readonly answers: number;
  /** How many of them it does not apply to. */
  readonly nulls: number;
  /** Mean of the others; absent where there are none. */
  readonly mean?: number;
  readonly least?: number;
  readonly most?: number;
}

/** What was found of a reward. */
export interface RewardCheck {
  /** What no run can be trained on. */
  readonly findings: readonly string[];
  /** What a run can be trained on, to no good end. */
  readonly warnings: readonly string[];
  readonly pays: readonly PaidKind[];
  /** An answer of each kind to one problem, with what it is paid. */
  readonly examples: readonly {
    readonly kind: AnswerKind;
    readonly prompt: string;
    readonly completion: string;
    readonly value: number | null;
  }[];
  /** What it logs beside its values: columns of the completions, and metrics of the step. */
  readonly logs: { readonly columns: readonly string[]; readonly metrics: readonly string[] };
  /** Milliseconds for one completion of a batch. */
  readonly msPerCompletion: number;
}

interface Scored {
  readonly values: RewardValues;
  readonly logs: RewardLogs;
}

const PROBLEMS = 8;
/** Batches that are timed, and the time for all of them. */
const TIMED = 20;
const TIMED_MS = 500;

/**
 * Asks a reward once, before step 1: about the answers to one problem.
 *
 * @returns what is wrong, in words
 */
export async function tryReward(reward: RewardFunction, tasks: TaskSet): Promise<readonly string[]> {
  const answers = await answersOrNone(tasks);
  if (answers.length === 0) return [];
  const { failures } = await scoreRewards([reward], batchOf(answers));
  return failures.map(({ message }) => beforeStep1(message));
}

/** None where the task itself fails, which the run meets and says of the task. */
async function answersOrNone(tasks: TaskSet): Promise<readonly MadeUpAnswer[]> {
  try {
    return await withVerdicts(tasks, madeUpAnswers(tasks, 1));
  } catch (error) {
    if (RlvrError.is(error)) return [];
    throw error;
  }
}

/** Messages name the step of a batch; this one belongs to none. */
function beforeStep1(message: string): string {
  return message.replace(/ in step 1\b/g, ' before step 1');
}

/** Tries a reward on a batch of all kinds of answers, several times. Its thread may have ended afterwards. */
export async function checkReward(reward: RewardFunction, tasks: TaskSet): Promise<RewardCheck> {
  const answers = await withVerdicts(tasks, madeUpAnswers(tasks, PROBLEMS));
  const refused = answers.map(({ item }) => reward.refuses?.(item)).find((rule) => rule !== undefined);
  const findings = refused === undefined ? [] : [`cannot be used on ${tasks.name}: ${refused}.`];
  const score = async (given: readonly MadeUpAnswer[], progress = 0): Promise<Scored | undefined> => {
    const { rewards, failures, logs } = await scoreRewards([reward], batchOf(given, progress));
    findings.push(...failures.map(({ message }) => beforeStep1(message)));
    return failures.length === 0 ? { values: rewards[0], logs } : undefined;
  };
  const first = await score(answers);
  if (first === undefined) {
    return { findings, warnings: [], pays: [], examples: [], logs: { columns: [], metrics: [] }, msPerCompletion: 0 };
  }
  const { values, logs } = first;
  const second = await score(answers);
  const again = second?.values;
  if (second !== undefined && JSON.stringify(second.logs) !== JSON.stringify(logs)) {
    const rule = 'logs something else when it is asked again';
    findings.push(`${rule} — let it depend on its batch alone, as no log could be repeated otherwise.`);
  }
  const other = values.findIndex((value, i) => again !== undefined && again[i] !== value);
  if (again !== undefined && other >= 0) {
    const { item, completion } = answers[other];
    const about = `${JSON.stringify(item.prompt)} → ${JSON.stringify(completion.text)}`;
    const rule = `gives ${values[other]} once and ${again[other]} when it is asked again, for ${about}`;
    findings.push(`${rule} — let it depend on its batch alone, as no run could be repeated otherwise.`);
  }
  // A batch may have any size, and a schedule must hold to the end of the stage.
  await score(answers.slice(0, 1));
  await score(answers, 0.99);
  const pays = paidKinds(answers, values);
  return {
    findings: [...new Set(findings)],
    warnings: warningsOf(answers, values, pays),
    pays,
    examples: answers.flatMap(({ kind, group, item: { prompt }, completion: { text } }, i) =>
      group === 0 ? [{ kind, prompt, completion: text, value: values[i] }] : [],
    ),
    logs: { columns: logs.columns.map(([name]) => name), metrics: logs.metrics.map(([name]) => name) },
    msPerCompletion: findings.length > 0 ? 0 : await timeOf(reward, batchOf(answers)),
  };
}

function batchOf(answers: readonly MadeUpAnswer[], progress = 0): RewardBatch {
  const each = <T>(of: (answer: MadeUpAnswer) => T): T[] => answers.map(of);
  return frozen({
    prompts: each(({ item }) => item.prompt),
    completions: each(({ completion }) => completion.text),
    completionTokens: each(({ completion }) => completion.tokens),
    items: each(({ item }) => item),
    groupOf: Int32Array.from(answers, ({ group }) => group),
    verdicts: each(({ completion }) => completion.verdict),
    finishReasons: each(({ completion }) => completion.finishReason),
    trainerState: { step: 0, progress },
  });
}

function paidKinds(answers: readonly MadeUpAnswer[], values: RewardValues): PaidKind[] {
  return ANSWER_KINDS.flatMap((kind): PaidKind[] => {
    const own = values.filter((_, i) => answers[i].kind === kind);
    if (own.length === 0) return [];
    const numbers = own.filter((value) => value !== null);
    const counts = { kind, answers: own.length, nulls: own.length - numbers.length };
    if (numbers.length === 0) return [counts];
    const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    return [{ ...counts, mean, least: Math.min(...numbers), most: Math.max(...numbers) }];
  });
}

const WORDS = { wrong: 'a wrong answer', empty: 'an empty answer', random: 'random tokens' };

function warningsOf(answers: readonly MadeUpAnswer[], values: RewardValues, pays: readonly PaidKind[]): string[] {
  const given = new Set(values.filter((value) => value !== null));
  if (given.size === 0) return ['gives null for every answer: it never applies'];
  if (given.size === 1) {
    return [`always pays ${[...given][0]}, whatever the answer is: without a difference there is no gradient`];
  }
  const differs = answers.some(({ group }, i) => {
    const first = answers.findIndex((answer, j) => answer.group === group && values[j] !== null);
    return first >= 0 && values[i] !== null && values[i] !== values[first];
  });
  if (!differs) {
    return ['pays all answers to a problem the same: answers are compared within their group, so there is no gradient'];
  }
  const meanOf = (kind: AnswerKind): number | undefined => pays.find((paid) => paid.kind === kind)?.mean;
  const right = meanOf('right');
  return ANSWER_KINDS.flatMap((kind) => {
    const mean = meanOf(kind);
    // A cut answer has the text of the right one: a reward that reads the text alone pays both the same.
    if (kind === 'right' || kind === 'cut' || right === undefined || mean === undefined || mean < right) return [];
    const much = mean > right ? 'more than' : 'as much as';
    const means = `${shortNumber(mean)} and ${shortNumber(right)} on average`;
    return [`pays ${WORDS[kind]} ${much} a right one (${means}): alone, it does not teach to be right`];
  });
}

async function timeOf(reward: RewardFunction, batch: RewardBatch): Promise<number> {
  const times: number[] = [];
  const start = performance.now();
  while (times.length < TIMED && performance.now() - start < TIMED_MS) {
    const before = performance.now();
    await scoreRewards([reward], batch);
    times.push(performance.now() - before);
  }
  return Math.min(...times) / batch.completions.length;
}
