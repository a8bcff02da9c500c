/** What `rewards check` finds: what a reward breaks of its contract, what it pays for what, and what it costs. */
import type { TaskSet } from '../../../src/data/task_set.ts';
import {
  type RewardFunction,
  type RewardValues,
  type ScoredRewards,
  scoreRewards,
} from '../../../src/rewards/reward_function.ts';
import {
  ANSWER_KINDS,
  type AnswerKind,
  batchOf,
  failuresIn,
  type MadeUpAnswer,
  madeUpAnswers,
} from '../../plugins/check/made_up_answers.ts';
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

const PROBLEMS = 8;
const REMEDY = 'let it depend on its batch alone, as no run could be repeated otherwise';

/** Tries a reward on a batch of all kinds of answers, several times. Its thread may have ended afterwards. */
export async function checkReward(reward: RewardFunction, tasks: TaskSet): Promise<RewardCheck> {
  const answers = await madeUpAnswers(tasks, PROBLEMS);
  const refused = answers.map(({ item }) => reward.refuses?.(item)).find((rule) => rule !== undefined);
  const findings = new Set(refused === undefined ? [] : [`cannot be used on ${tasks.name}: ${refused}.`]);
  let msPerCompletion = Number.POSITIVE_INFINITY;
  const score = async (given: readonly MadeUpAnswer[], progress = 0): Promise<ScoredRewards> => {
    const start = performance.now();
    const scored = await scoreRewards([reward], batchOf(given, progress));
    msPerCompletion = Math.min(msPerCompletion, (performance.now() - start) / given.length);
    for (const failure of failuresIn(scored)) findings.add(failure);
    return scored;
  };
  const first = await score(answers);
  const [values] = first.rewards;
  const hasFailed = first.failures.length > 0;
  if (!hasFailed) {
    const { rewards, logs, failures } = await score(answers);
    const other = values.findIndex((value, i) => failures.length === 0 && rewards[0][i] !== value);
    const { item, text } = answers[Math.max(0, other)];
    const about = `for ${JSON.stringify(item.prompt)} → ${JSON.stringify(text)}`;
    if (other >= 0) {
      findings.add(
        `gives ${values[other]} once and ${rewards[0][other]} when it is asked again, ${about} — ${REMEDY}.`,
      );
    }
    if (failures.length === 0 && JSON.stringify(logs) !== JSON.stringify(first.logs)) {
      findings.add(`logs something else when it is asked again — ${REMEDY}.`);
    }
    // A batch may have any size, and a schedule must hold to the end of the stage.
    await score(answers.slice(0, 1));
    await score(answers, 0.99);
  }
  const pays = hasFailed ? [] : paidKinds(answers, values);
  return {
    findings: [...findings],
    warnings: hasFailed ? [] : warningsOf(answers, values, pays),
    pays,
    examples: answers.flatMap(({ kind, group, item: { prompt }, text }, i) =>
      group === 0 && !hasFailed ? [{ kind, prompt, completion: text, value: values[i] }] : [],
    ),
    logs: {
      columns: first.logs.columns.map(([name]) => name),
      metrics: first.logs.metrics.map(([name]) => name),
    },
    msPerCompletion,
  };
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
