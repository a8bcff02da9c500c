/** Tasks for one worker alone, beside those that all may pull: none is lost, its own come first, and few wait. */
import { expect, it } from 'vitest';
import { OwnTasks } from '../nats/own_tasks.ts';

const RUN = '0123456789abcdef';
const task = (number: number): Uint8Array => Uint8Array.of(number);

/** A server's hand. */
function opened(worker?: string) {
  const pulls: ((task: Uint8Array | 'over' | undefined) => void)[] = [];
  const subscribed: string[] = [];
  let tell: (task: Uint8Array) => void = () => undefined;
  const own = new OwnTasks(
    () => new Promise((resolve) => pulls.push(resolve)),
    async (run, who, hear) => {
      subscribed.push(`${run} ${who}`);
      tell = hear;
    },
  );
  if (worker !== undefined) own.listen(worker);
  return { own, pulls, subscribed, tell: (bytes: Uint8Array) => tell(bytes) };
}
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

it('a worker that listens to none has those for all', async () => {
  const { own, pulls, subscribed } = opened();
  const first = own.next(RUN, 10);
  await soon();
  pulls[0]('over');
  expect([await first, subscribed]).toEqual(['over', []]);
});

it('its own task is taken at once, and the pull that was under way is waited for by the next call', async () => {
  const { own, pulls, subscribed, tell } = opened('w');
  const first = own.next(RUN, 10);
  await soon();
  tell(task(1));
  expect(await first).toEqual(task(1));
  tell(task(2));
  pulls[0](task(3));
  expect(await own.next(RUN, 10)).toEqual(task(2));
  expect(await own.next(RUN, 10)).toEqual(task(3));
  expect([pulls.length, subscribed]).toEqual([1, [`${RUN} w`]]);
  const last = own.next(RUN, 10);
  await soon();
  pulls[1](undefined);
  expect(await last).toBeUndefined();
});

it('of many that wait the newest are kept', async () => {
  const { own, pulls, tell } = opened('w');
  const first = own.next(RUN, 10);
  await soon();
  pulls[0](undefined);
  await first;
  for (let number = 0; number < 100; number++) tell(task(number));
  expect(await own.next(RUN, 10)).toEqual(task(92));
});

it('a connection that ends while nobody waits is told to who asks next', async () => {
  const { own, pulls, tell } = opened('w');
  const first = own.next(RUN, 10);
  await soon();
  tell(task(1));
  await first;
  pulls[0](Promise.reject(new Error('closed')) as never);
  await soon();
  await expect(own.next(RUN, 10)).rejects.toThrow('closed');
});
