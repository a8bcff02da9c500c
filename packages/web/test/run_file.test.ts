import { zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { linkOf, ofPreset } from '../../../web/src/experiment.ts';
import { packRun, unpackRun } from '../../../web/src/run_file.ts';

const FILES = new Map([
  ['fingerprint.json', new Uint8Array([123, 125])],
  ['checkpoints/grpo-3/weights.safetensors', Uint8Array.from({ length: 500 }, (_, i) => i)],
]);
const RUN = { experiment: ofPreset('sort-two'), codes: {}, files: FILES };

it('what was packed is unpacked', async () => {
  const { experiment, codes, files } = await unpackRun(await packRun(RUN));
  expect({ experiment, codes }).toEqual({ experiment: RUN.experiment, codes: {} });
  expect([...files].sort()).toEqual([...FILES].sort());
});

it('the code of its own reward or task comes with it, and none that it does not run', async () => {
  const codes = { reward: 'function reward() { return 1; }', task: 'function generate() {}' };
  const own = { ...RUN, experiment: { ...RUN.experiment, reward: 'yours' }, codes };
  expect((await unpackRun(await packRun(own))).codes).toEqual({ reward: codes.reward });
  const task = { ...RUN, experiment: ofPreset('own-task'), codes };
  expect((await unpackRun(await packRun(task))).codes).toEqual({ task: codes.task });
});

it('a flipped bit is noticed wherever it is: no byte of the file is read that nothing vouches for', async () => {
  const whole = await packRun(RUN);
  for (let at = 0; at < whole.length; at++) {
    const damaged = whole.slice();
    (damaged[at] as number) ^= 1;
    const seen = await unpackRun(damaged).then(
      ({ experiment, codes, files }) => JSON.stringify([linkOf(experiment), codes, [...files].sort()]),
      () => 'refused',
    );
    const same = JSON.stringify([linkOf(RUN.experiment), {}, [...FILES].sort()]);
    expect([same, 'refused'], `byte ${at}`).toContain(seen);
  }
});

const zipOf = (page: unknown): Uint8Array<ArrayBuffer> =>
  zipSync({
    'fingerprint.json': new Uint8Array([123, 125]),
    'page.json': new TextEncoder().encode(JSON.stringify(page)),
  }) as Uint8Array<ArrayBuffer>;

it.each([
  ['null', null, 'page.json has no link, which says what the run is'],
  ['a list', [], 'page.json has no link, which says what the run is'],
  ['a link that is a number', { link: 7 }, 'page.json has no link, which says what the run is'],
  ['a link with a key that there is not', { link: 'lr=1' }, 'page.json: lr: there is no such setting; it is left out'],
  ['no code for its own reward', { link: 'reward=yours' }, 'page.json has no code for the reward "yours"'],
  ['a number as code', { link: 'reward=yours', code: 7 }, 'page.json has no code for the reward "yours"'],
])('page.json that is %s is refused in words', async (_, page, message) => {
  await expect(unpackRun(zipOf(page))).rejects.toThrow(message);
});

it('a file that claims to unpack to more than a tab can hold is refused before it is unpacked', async () => {
  const bomb = zipOf({ link: '' }).slice();
  const view = new DataView(bomb.buffer);
  for (let at = 0; at < bomb.length - 4; at++)
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 2 ** 31, true);
  await expect(unpackRun(bomb)).rejects.toThrow('it unpacks to more than 1024 MB');
});
