/** m-search and m-tries, on answers whose behaviours are counted by hand. */
import { describe, expect, it } from 'vitest';
import type { ProblemRecord } from '../../../../../src/methods/points.ts';
import { meanOverProblems } from '../../../../../src/methods/statistics.ts';
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import { evaluateNow, reinforced } from '../../../../../test/grpo/step_parts.ts';
import { createFigures, createMethods } from '../../../../../test/support/everything.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';
import { BEHAVIOURS, type Behaviour, behavioursOf } from '../../../methods/support/figures/behaviours.ts';
import { searchOf, spaceOf } from '../../support/searches.ts';

const PROBLEM = { numbers: [3, 7, 2], target: 13 };
const SOLVED = '7 + 3 = 10 : 12 8 20 5 n , 7 - 3 = 4 : 6 2 8 2 n , 3 * 2 = 6 : 13 y , 3 * 2 = 6 , 7 + 6 = 13';
const AT_ONCE = '3 * 2 = 6 : 13 y , 3 * 2 = 6 , 7 + 6 = 13';
/** A repeat; 21 for 20; a hit listed and closed; a false step with a false hit. */
const MUDDLED = '7 + 3 = 10 : 12 8 20 5 n , 7 + 3 = 10 : 12 8 21 5 n , 3 * 2 = 6 : 13 n , 7 - 3 = 5 : 7 y';
const GIVEN_UP = '7 + 3 = 10 : 12 8 20 5 n , 7 - 3 = 4 : 6 2 8 2 n';
const CUT = '3 * 2 = 6';

const verdictOf = (text: string): Verdict => {
  const isRight = text === SOLVED || text === AT_ONCE;
  const status = isRight ? 'correct' : text === CUT ? 'truncated' : 'incorrect';
  return { score: Number(isRight), status, reason: '' };
};

/** Those that are not 0, with what every problem of three numbers has. */
function countsOf(text: string, problem = PROBLEM): Partial<Record<Behaviour, number>> {
  const all = Object.entries(behavioursOf(searchOf(problem)(text), verdictOf(text)));
  return Object.fromEntries(all.filter(([name, value]) => value !== 0 && !/first_/.test(name)));
}

describe('behaviours of an answer', () => {
  it('are counted', () => {
    expect(countsOf(SOLVED)).toEqual({ tries: 2 });
    expect(countsOf(AT_ONCE)).toEqual({ first: 1 });
    expect(countsOf(MUDDLED)).toEqual({ tries: 3, repeats: 1, passed_over: 1, wrong_marks: 2, wrong_results: 2 });
    expect(countsOf(GIVEN_UP)).toEqual({ tries: 2, untried: 1, gave_up: 1 });
    expect(countsOf(CUT)).toEqual({ cut: 1 });
    expect(countsOf('')).toEqual({ untried: 1, gave_up: 1 });
  });

  it('of four numbers count a hit that was passed over where it was, not in what it lies in', () => {
    const four = { numbers: [9, 2, 8, 3], target: 77 };
    const inner = '9 - 2 = 7 ( 8 + 3 = 11 : 18 4 77 n ) , 9 - 2 = 7 ( 8 + 3 = 11 : 18 4 77 y';
    expect(countsOf(inner, four)).toEqual({ tries: 2, repeats: 2, passed_over: 1, wrong_marks: 1, first: 1 });
    const outer = '9 - 2 = 7 ( 8 - 3 = 5 : 12 2 35 n )';
    expect(countsOf(outer, four)).toEqual({ tries: 2, passed_over: 1, gave_up: 1, first: 1 });
  });

  it('of two numbers have no first step', () => {
    const search = searchOf({ numbers: [7, 2], target: 9 })(': 9 y , 7 + 2 = 9');
    expect(behavioursOf(search, { status: 'correct' })).toMatchObject({ tries: 0, first: undefined });
  });
});

function record(texts: readonly string[], weight: number): ProblemRecord {
  const answers = texts.map((text) => ({ text, tokens: Int32Array.of(1), logprob: 0 }));
  const samples = texts.map(verdictOf);
  const [greedy, greedyAnswer] = [samples[0], answers[0]];
  const head = { key: 'a', weight, prompt: '3 7 2 = 13 ?', answer: AT_ONCE };
  return { ...head, greedy, samples, turns: texts.map(() => []), greedyAnswer, answers };
}

describe('m-search', () => {
  const figureOf = (show: string) =>
    createFigures(stageOf(`evaluation_figures: [{name: m-search, show: ${show}}]`, 'num_generations_eval: 2'))[0];
  const of = (show: string) => figureOf(show).of(problems, () => spaceOf(PROBLEM));
  const problems = [record([SOLVED, MUDDLED], 3), record([GIVEN_UP, AT_ONCE], 1)];

  it('is the mean over samples, then over problems by their weight', () => {
    expect(figureOf('tries').name).toBe('search/tries');
    expect(of('tries').mean).toBeCloseTo((3 * 2.5 + 1 * 1) / 4, 12);
    expect(of('gave_up').mean).toBeCloseTo((3 * 0 + 1 * 0.5) / 4, 12);
    expect(of('first_chance').mean).toBeCloseTo(1 / 9, 12);
  });

  it('has the interval of a share, and of a count the same in units of the largest', () => {
    const { low, high } = of('tries');
    const share = meanOverProblems([1, 1 / 2.5], [3, 1]);
    expect([low, high]).toEqual([share.low * 2.5, share.high * 2.5]);
    expect(of('gave_up')).toEqual(meanOverProblems([0, 0.5], [3, 1]));
  });

  it('is 0 where no answer searched', () => {
    expect(figureOf('tries').of(problems, () => undefined).mean).toBe(0);
    expect(figureOf('tries').of(problems).mean).toBe(0);
  });
});

it('m-tries logs every behaviour of a batch, as means over its answers', () => {
  const methods = createMethods(stageOf('group_steps: [m-tries]'));
  const logged: Record<string, number> = {};
  const texts = [SOLVED, MUDDLED, GIVEN_UP, CUT];
  const group = groupOf(texts.map((text) => ({ ...rolloutOf(2, 0), text, verdict: verdictOf(text) })));
  const [{ part }] = methods.groupSteps;
  const metric = (name: string, value: number): void => {
    logged[name] = value;
  };
  const context = { ...stepContext(stageOf()), searchSpace: () => spaceOf(PROBLEM), metric };
  expect(part.apply([group], context)).toEqual([group]);
  expect(Object.keys(logged)).toEqual(Object.keys(BEHAVIOURS));
  expect(logged).toMatchObject({
    tries: 7 / 4,
    repeats: 1 / 4,
    passed_over: 1 / 4,
    untried: 1 / 4,
    cut: 1 / 4,
    first: 0,
  });
  expect(logged.first_chance).toBeCloseTo(1 / 9, 12);
  part.apply([group], { ...context, searchSpace: () => undefined, metric: () => expect.unreachable('nothing to log') });
});

describe('a run', () => {
  const SEARCH = { name: 'countdown', numbers: 2, max_number: 4, answer: 'search' };

  it('reads the tries of its answers, by what its task searches', async () => {
    const figures = {
      num_generations_eval: 4,
      evaluation_figures: ['m-search', { name: 'm-search', show: 'cut' }],
    };
    const run = await reinforced({ task: SEARCH, ...figures });
    const evaluation = await evaluateNow(run);
    expect(Object.keys(evaluation.figures ?? {})).toEqual(['search/tries', 'search/cut']);
    expect(evaluation.figures?.['search/cut'].mean).toBeGreaterThan(0.2); // of random weights
  });

  it('is refused where answers do not search, and where they are in words between tags', async () => {
    const refused = 'm-search: reads the tries of answers, and those of countdown do not search';
    const evaluation_figures = ['m-search'];
    await expect(reinforced({ task: { ...SEARCH, answer: 'steps' }, evaluation_figures })).rejects.toThrow(refused);
    await expect(reinforced({ task: { ...SEARCH, style: 'plain' }, evaluation_figures })).rejects.toThrow(refused);
    await expect(reinforced({ task: { ...SEARCH, answer: 'steps' }, group_steps: ['m-tries'] })).rejects.toThrow(
      'm-tries',
    );
  });
});
