/** Verdicts that take time: asked together, and each is that of its answer, whatever comes first. */
import { describe, expect, it } from 'vitest';
import { bindTask } from '../../../../../src/data/create_task.ts';
import { atOnce, judgedTogether, verdictsOf } from '../../../../../src/data/judging/judged.ts';
import type { AnyTaskDefinition, AskedAnswer, GivenAnswer, Knobs } from '../../../../../src/data/task.ts';
import { oneTask, type TaskSet, taskSet } from '../../../../../src/data/task_set.ts';
import type { Json } from '../../../../../src/options/json.ts';
import { scoreRewards } from '../../../../../src/rewards/reward_function.ts';
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import { registeredTask } from '../../../../../test/support/everything.ts';
import { checkJudgedTask, checkTask } from '../../../data/check/check_task.ts';

const gcd = await registeredTask('gcd').load();

const RIGHT: Verdict = { score: 1, status: 'correct', reason: 'said to be right', canonical: '1' };

/** The same task, whose verdicts come as `judge` says. */
function judgedBy(judge: (answers: readonly AskedAnswer<Json>[], verdicts: Verdict[]) => unknown): AnyTaskDefinition {
  const ask = async (answers: readonly AskedAnswer<Json>[], knobs: Knobs): Promise<readonly Verdict[]> => {
    const verdicts = answers.map(({ identity, answer, context }) => gcd.verify(identity, answer, knobs, context));
    return (await judge(answers, verdicts)) as readonly Verdict[];
  };
  return { ...gcd, verify: judgedTogether, judge: ask };
}

function answersOf(tasks: TaskSet, count = 6): GivenAnswer[] {
  return Array.from({ length: count }, (_, index) => {
    const item = tasks.trainItem(0, index);
    const completion = index % 3 === 0 ? item.answer : index % 3 === 1 ? '1' : 'x';
    return { item, completion, context: { finishReason: 'eos' } };
  });
}

describe('verdicts of a task that judges many answers at once', () => {
  it('are those of verify, in both styles and with feedback', async () => {
    for (const knobs of [{}, { style: 'plain' }]) {
      const plain = oneTask(bindTask(gcd, knobs));
      const judged = oneTask(
        bindTask(
          judgedBy((_, verdicts) => verdicts),
          knobs,
        ),
      );
      const given = [...answersOf(plain), ...answersOf(plain)].map((one, i) => ({
        ...one,
        context: {
          finishReason: i % 4 === 3 ? ('length' as const) : one.context.finishReason,
          wantsFeedback: true as const,
        },
      }));
      expect(await verdictsOf(judged, given)).toEqual(await verdictsOf(plain, given));
    }
  });

  it('ask only about completions that hold an answer', async () => {
    const asked: string[] = [];
    const tasks = oneTask(
      bindTask(
        judgedBy((answers, verdicts) => {
          asked.push(...answers.map(({ answer }) => answer));
          return verdicts;
        }),
        { style: 'plain' },
      ),
    );
    const item = tasks.trainItem(0, 0);
    const given = ['no tag', `<answer>${'7'}</answer>`, '<answer>7'].map((completion) => ({
      item,
      completion,
      context: { finishReason: 'eos' as const },
    }));
    const verdicts = await verdictsOf(tasks, given);
    expect(asked).toEqual(['7']);
    expect(verdicts.map(({ failure }) => failure)).toEqual(['no_answer', expect.anything(), 'bad_format']);
  });

  it('belong to their answers in a set of several tasks, of which some take time', async () => {
    const sort = bindTask(await registeredTask('sort_digits').load(), {});
    const of = (definition: AnyTaskDefinition): TaskSet =>
      taskSet([
        { task: bindTask(definition), weight: 1 },
        { task: sort, weight: 1 },
      ]);
    const late = judgedBy(async (_, verdicts) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return verdicts;
    });
    const given = answersOf(of(gcd), 12);
    expect(new Set(given.map(({ item }) => item.task)).size).toBe(2);
    expect(await verdictsOf(of(late), given)).toEqual(await verdictsOf(of(gcd), given));
  });

  it.each([
    [
      'fewer',
      (verdicts: Verdict[]) => verdicts.slice(1),
      'gave 5 verdicts for 6 answers — give one for each of 6 answers',
    ],
    ['none', () => undefined, 'gave undefined — give a list of verdicts'],
    [
      'no number',
      (verdicts: Verdict[]) => verdicts.with(2, { ...(verdicts[2] as Verdict), score: Number.NaN }),
      'gave {"score":"NaN","status":"invalid"',
    ],
    [
      'a hole',
      (verdicts: Verdict[]) => {
        delete verdicts[1];
        return verdicts;
      },
      'gave undefined for answer 2 of 6, "1"',
    ],
    [
      'an error',
      () => {
        throw new TypeError('no such table');
      },
      'judge failed for 6 answers (TypeError: no such table)',
    ],
  ])('that are %s are refused in words', async (_, change, says) => {
    const tasks = oneTask(
      bindTask(
        judgedBy((_answers, verdicts) => change(verdicts)),
        {},
      ),
    );
    await expect(verdictsOf(tasks, answersOf(tasks))).rejects.toThrow(says);
  });

  it('are checked as those of verify are, to the same findings', async () => {
    const lenient = {
      ...gcd,
      verify: (...given: Parameters<typeof gcd.verify>) => (given[1] === '1' ? RIGHT : gcd.verify(...given)),
    };
    const options = { items: 10, attempts: 60, clock: () => 0, settings: [{}] };
    const asked = async (answers: readonly AskedAnswer<Json>[], knobs: Knobs): Promise<readonly Verdict[]> =>
      answers.map(({ identity, answer, context }) => lenient.verify(identity, answer, knobs, context));
    const judged = { ...gcd, verify: judgedTogether, judge: asked };
    const { findings, count } = checkTask(lenient, options);
    expect(count).toBeGreaterThan(0);
    const check = await checkJudgedTask(judged, options);
    expect([check.findings, check.count]).toEqual([findings, count]);
    expect(check.settings.every(({ verdicts }) => verdicts > 100)).toBe(true);
    expect(() => checkTask(judged, options)).toThrow('gcd has judge: ask checkJudgedTask');
  });

  it('that change when they are asked for again are found', async () => {
    let asked = 0;
    const moody = judgedBy((_, verdicts) => {
      asked++;
      return verdicts.map((verdict) => ({ ...verdict, reason: `${verdict.reason}, at the ${asked}th time` }));
    });
    const { findings } = await checkJudgedTask(moody, { items: 5, attempts: 20, settings: [{}] });
    expect(findings[0]).toMatchObject({ rule: 'pure', what: 'judge says something else when it is asked again' });
  });

  it('cannot be had at once', () => {
    const tasks = oneTask(
      bindTask(
        judgedBy((_, verdicts) => verdicts),
        {},
      ),
    );
    const [{ item, completion, context }] = answersOf(tasks);
    expect(() => tasks.verify(item, completion, context)).toThrow('its answers are judged together');
  });
});

describe('a verdict that is needed at once', () => {
  it('is the verifier’s, or who needs it is named where the answers are judged together', () => {
    expect(atOnce('method "early-stop"', () => RIGHT)).toBe(RIGHT);
    expect(() => atOnce('method "early-stop"', judgedTogether)).toThrow(
      /^method "early-stop": task: its answers are judged together, .*leave out the method or reward that asks, or give verify too\.$/,
    );
  });

  it('a reward that asks for one is named too', async () => {
    const batch = {
      completions: ['1'],
      verdicts: [RIGHT],
      items: [{ prompt: '', columns: {} }],
      trainerState: { step: 0, progress: 0 },
      judge: judgedTogether,
    } as never;
    const asks = {
      name: 'asks',
      score: (given: { judge?: (row: number, text: string) => Verdict }) => [given.judge?.(0, '1').score ?? null],
    };
    const { failures } = await scoreRewards([asks as never], batch);
    expect(failures[0]?.message).toMatch(/^reward "asks": task: its answers are judged together/);
  });
});
