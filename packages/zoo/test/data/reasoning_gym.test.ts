/**
 * Problems and answers of reasoning-gym 0.1.25 (test/golden/make_reasoning_gym.py): its answers are accepted where they are
 * right, and what its own scorers pay for wrongly is refused.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { getTaskDefinition } from '../../../../test/support/tasks.ts';
import { type Json, takeKnobs } from '../../data/index.ts';

interface Fixture {
  readonly task: string;
  /** `wrong`: sympy, networkx or the problem computed anew say so. */
  readonly problems: readonly { readonly identity: Json; readonly answer: string; readonly wrong?: true }[];
}

const folder = new URL('../../../../test/golden/reasoning_gym/', import.meta.url);
const fixtures = readdirSync(folder).map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Fixture);

/** The score of an answer to a problem that may be none of the task's own draws. */
function scorer(task: string): (identity: Json, answer: string) => number | null {
  const definition = getTaskDefinition(task);
  const knobs = takeKnobs(definition, task === 'countdown' ? { answer: 'expression' } : {});
  return (identity, answer) => definition.verify(identity, answer, knobs, { finishReason: 'eos' }).score;
}

it('there are fifty problems each of twenty tasks and more', () => {
  expect(fixtures.length).toBeGreaterThanOrEqual(20);
  expect(fixtures.filter(({ problems }) => problems.length !== 50)).toEqual([]);
});

describe.each(fixtures.map((fixture) => [fixture.task, fixture] as const))('%s', (task, { problems }) => {
  const score = scorer(task);

  it('accepts the answers that are right', () => {
    const refused = problems.filter(({ identity, answer, wrong }) => score(identity, answer) !== (wrong ? 0 : 1));
    expect(refused).toEqual([]);
  });

  it('refuses what its default scorer pays in part: a right answer with something around it', () => {
    for (const { identity, answer } of problems) {
      const hacks = [`${answer} ${answer}`, `${answer}\n${answer}`, `the answer is ${answer}`, `${answer} or not`];
      const paid = ['', ...hacks].filter((hack) => score(identity, hack) !== 0);
      expect(paid, `${JSON.stringify(identity)} ${answer}`).toEqual([]);
    }
  });
});

describe('what single scorers of it pay', () => {
  const problemsOf = (task: string) => fixtures.find((fixture) => fixture.task === task)?.problems ?? [];
  const paid = (task: string, hackOf: (identity: never, answer: string) => string | undefined): string[] => {
    const score = scorer(task);
    return problemsOf(task).flatMap(({ identity, answer }) => {
      const hack = hackOf(identity as never, answer); // of its task, as the hack takes it
      return hack === undefined || score(identity, hack) === 0 ? [] : [`${JSON.stringify(identity)}: ${hack}`];
    });
  };

  it('countdown: powers, whole quotients, joined digits, decimals, comments, signs', () => {
    for (const hack of ['2**5', '7//2', '3.4*10', '5!', 'sqrt(16)+5', 'floor(7/2)', '-7*2', '99**99**99'])
      expect(paid('countdown', () => hack)).toEqual([]);
    expect(paid('countdown', (_, answer) => `${answer} #x`)).toEqual([]);
    expect(paid('countdown', (_, answer) => `+${answer}`)).toEqual([]);
    expect(paid('countdown', ({ target }: { target: number }) => String(target))).toEqual([]);
    expect(scorer('countdown')({ numbers: [3, 200000], target: 66667 }, '200000/3')).toBe(0);
  });

  it('puzzle24: other numbers, and a value that is cut to 24', () => {
    const isIt = ({ numbers }: { numbers: number[] }) => [...numbers].sort().join() === '1,1,4,6';
    expect(paid('puzzle24', (item: { numbers: number[] }) => (isIt(item) ? undefined : '4*6*1*1'))).toEqual([]);
    expect(scorer('puzzle24')({ numbers: [7, 7, 2, 1] }, '7*7/2*1')).toBe(0);
  });

  it('prime_factorization: the number itself', () => {
    const isPrime = (number: number) =>
      !Array.from({ length: number - 2 }, (_, i) => i + 2).some((d) => number % d === 0);
    expect(
      paid('prime_factorization', ({ number }: { number: number }) => (isPrime(number) ? undefined : String(number))),
    ).toEqual([]);
  });

  it('mini_sudoku: the puzzle with ones in the holes, and as it is', () => {
    expect(paid('mini_sudoku', ({ rows }: { rows: string[] }) => rows.join('\n').replaceAll('_', '1'))).toEqual([]);
    expect(paid('mini_sudoku', ({ rows }: { rows: string[] }) => rows.join('\n'))).toEqual([]);
  });

  it('truth values: both of them, and a number', () => {
    for (const task of ['isomorphic_strings', 'ransom_note']) {
      for (const hack of ['yes no', 'no yes', 'True False', '0', '1', 'x']) expect(paid(task, () => hack)).toEqual([]);
    }
  });

  it('numbers: the same twice, and within one percent', () => {
    expect(paid('gcd', (_, answer) => `${answer} ${answer}`)).toEqual([]);
    expect(paid('lcm', (_, answer) => String(Number(answer) + 1))).toEqual([]);
    expect(paid('chain_sum', (_, answer) => `${answer}.4`)).toEqual([]);
  });

  it('game_of_life: a dead board; coin_flip: the beginning of the answer', () => {
    const board = { steps: 1, rows: ['00000', '00100', '00100', '00100', '00000'] };
    expect(scorer('game_of_life')(board, ['00000', '00000', '01110', '00000', '00000'].join('\n'))).toBe(1);
    expect(scorer('game_of_life')(board, board.rows.map(() => '00000').join('\n'))).toBe(0);
    const coin = getTaskDefinition('coin_flip');
    const knobs = takeKnobs(coin, {});
    const score = scorer('coin_flip');
    for (const identity of problemsOfCoin(coin, knobs)) expect(score(identity, '0')).toBe(0);
  });
});

function problemsOfCoin(
  coin: ReturnType<typeof getTaskDefinition>,
  knobs: ReturnType<typeof takeKnobs>,
): readonly Json[] {
  const drawn = Array.from({ length: 60 }, (_, index) => coin.generate(rngFor(`coin ${index}`), knobs));
  return drawn.filter((identity): identity is Exclude<Json, null> => identity !== null);
}
