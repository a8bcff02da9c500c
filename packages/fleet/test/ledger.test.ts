/** The ledger of tasks: over random histories no task is lost, and none is used twice or by an answer that was refused. */
import { expect, it } from 'vitest';
import { rngFor } from '../../../src/kernels/philox.ts';
import { budget } from '../../../test/support/budget.ts';
import { Ledger } from '../ledger.ts';

/** A hundred thousand before a release. */
const HISTORIES = Number(process.env.RLVR_HISTORIES ?? budget({ quick: 2000, all: 3000, release: 100_000 }));
const TASKS = 6;
const WORKERS = ['honest', 'other', 'liar'];

/** Quicker than `expect`, for millions of looks. */
function must(is: boolean, what: string): void {
  if (!is) throw new Error(`not so: ${what}`);
}

function refuses(work: () => void): boolean {
  try {
    work();
    return false;
  } catch (error) {
    return error instanceof RangeError;
  }
}

/** One random history: answers lost, doubled, late and false, workers shut out, the call cut off. */
function history(seed: number): void {
  const rng = rngFor(`ledger|${seed}`);
  const ledger = new Ledger();
  const shutOut = new Set<string>();
  const used = new Map<number, string>();
  const tasks = Array.from({ length: TASKS }, (_, i) => i);
  for (const task of tasks) ledger.give(task, 0);
  const truth = (task: number): string => `answer ${task}`;
  const receive = (worker: string, task: number): void => {
    if (shutOut.has(worker)) return;
    const digest = worker === 'liar' && rng.float() < 0.5 ? 'false' : truth(task);
    const before = ledger.answerOf(task);
    const outcome = ledger.receive(task, { worker, digest });
    must(outcome === (before === undefined ? 'first' : before.digest === digest ? 'equal' : 'different'), 'outcome');
    must(outcome === 'first' || ledger.answerOf(task) === before, 'the first answer counts');
    // Checked: what is false is taken back, with all else of that worker that is not used.
    if (outcome === 'first' && digest === 'false') {
      shutOut.add(worker);
      for (const own of ledger.answeredBy(worker, false)) {
        ledger.takeBack(own);
        ledger.again(own, rng.int(0, 9));
      }
    }
  };
  for (let event = 0; event < 8 || ledger.waiting().length > 0; event++) {
    const worker = event < 40 ? WORKERS[rng.int(0, WORKERS.length - 1)] : 'honest';
    const task = event < 40 ? rng.int(0, TASKS - 1) : (ledger.waiting()[0] ?? 0);
    if (rng.float() < 0.8) receive(worker, task);
    else if (ledger.answerOf(task) === undefined) ledger.again(task, rng.int(0, 9));
    must(ledger.size === TASKS, 'no task is lost');
  }
  ledger.use(tasks);
  for (const task of tasks) {
    used.set(task, ledger.answerOf(task)?.digest ?? '');
    must(
      refuses(() => ledger.use([task])),
      'none is used twice',
    );
    must(
      refuses(() => ledger.takeBack(task)),
      'what is used is not taken back',
    );
  }
  must(
    tasks.every((task) => used.get(task) === truth(task)),
    'each is used by a true answer',
  );
  must(ledger.waiting().length === 0, 'none waits');
  receive('other', 0); // late: it is compared all the same
}

it(`${HISTORIES} random histories lose no task, and use each once`, () => {
  for (let seed = 0; seed < HISTORIES; seed++) history(seed);
}, 300_000);

it('a task without an answer cannot be used, nor one that was dropped be answered', () => {
  const ledger = new Ledger();
  ledger.give(1, 0);
  expect(() => ledger.use([1])).toThrow('no answer');
  expect(() => ledger.give(1, 0)).toThrow('before');
  ledger.drop(1);
  expect(ledger.receive(1, { worker: 'a', digest: 'b' })).toBe('unknown');
});

it('tasks are overdue from when they were given out last', () => {
  const ledger = new Ledger();
  ledger.give(1, 0);
  ledger.give(2, 5);
  expect(ledger.overdue(4)).toEqual([1]);
  ledger.again(1, 9);
  expect(ledger.overdue(5)).toEqual([2]);
});

it('used tasks are remembered, and not without end', () => {
  const ledger = new Ledger();
  for (let task = 0; task < 10_000; task++) {
    ledger.give(task, 0);
    ledger.receive(task, { worker: 'a', digest: 'b' });
    ledger.use([task]);
  }
  expect(ledger.size).toBeLessThan(5000);
  expect(ledger.receive(9_999, { worker: 'c', digest: 'd' })).toBe('different');
  expect(ledger.receive(0, { worker: 'c', digest: 'd' })).toBe('unknown');
});
