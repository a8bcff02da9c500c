/**
 * What may happen to the servers of a fleet, by the built command: one of a cluster of three is killed, a store or a disk is full.
 * The run is that of one machine. Needs nats-server on the PATH, which `.ci/run` installs.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { FleetProcesses, killed } from '../support/fleet_processes.ts';
import { freePort } from '../support/nats_server.ts';

const JOB = [
  ...['--config', 'sort-digits', '--max-steps', '8', '--threads', '1', '--plain'],
  ...['--set', 'grpo.eval_samples=32', '--set', 'save_seconds=0.01'],
];
const DISK_BYTES = 3 * 2 ** 20;
let fleet: FleetProcesses;

beforeAll(async () => {
  fleet = await FleetProcesses.make(JOB);
  expect((await fleet.alone('alone')).code).toBe(0);
}, 120_000);
afterEach(() => fleet.end());
afterAll(() => fleet.remove());

/** The config of `fleet init` with something changed, in a file of its own. */
function changed(name: string, change: (text: string) => string): string {
  const file = fleet.place(`${name}.conf`);
  writeFileSync(file, change(readFileSync(fleet.place('fleet', 'nats.conf'), 'utf8')));
  return file;
}
const inFolder = (text: string, folder: string): string =>
  text.replace(/store_dir: .*/, `store_dir: ${JSON.stringify(folder)}`);

it('one of the three servers of a cluster is killed, the one that the learner is connected to', async () => {
  const ports = [fleet.port, await freePort(), await freePort()];
  const routes = await Promise.all(ports.map(freePort));
  const addresses = routes.map((route) => `"nats://127.0.0.1:${route}"`).join(', ');
  const log = fleet.place('cluster.log');
  const [first] = ports.map((port, i) => {
    const config = changed(`cluster-${i}`, (text) =>
      inFolder(text.replace(`:${fleet.port}"`, `:${port}"`), fleet.place(`files-${i}`)).concat(
        `server_name: fleet-${i}\n`,
        `cluster { name: fleet, listen: "127.0.0.1:${routes[i]}", routes: [${addresses}] }\n`,
      ),
    );
    return fleet.start('nats-server', ['-c', config, ...(i === 0 ? ['-l', log] : [])]);
  });
  await expect.poll(() => existingText(log)).toMatch(/metadata leader/);
  fleet.workers(2, fleet.urls.worker.replace(`:${fleet.port}`, `:${ports[1]}`));
  const [beginning, middle] = [fleet.hold(1), fleet.hold(3)];
  const running = fleet.train('cluster');
  await fleet.untilWaiting(2);
  beginning.release();
  await middle.reached();
  middle.release();
  await killed(first);
  expect((await running).code).toBe(0);
  expect(fleet.leftBy('cluster')).toEqual(fleet.leftBy('alone'));
  expect(fleet.fleetLines('cluster').at(-1)?.groups_by_workers).toBeGreaterThan(0);
}, 180_000);

it.each([
  ['two versions of the weights', '400KB', true],
  ['one of them', '100KB', false],
])(
  'a store that has no room for %s',
  async (_, most, isServed) => {
    const name = `full-${most}`;
    const config = changed(name, (text) => text.replace(/store_dir: .*/, `$&\n  max_file_store: ${most}`));
    await fleet.serve(config);
    fleet.workers(2);
    const beginning = fleet.hold(1);
    const running = fleet.train(name);
    await fleet.untilWaiting(2);
    beginning.release();
    const { code, stdout } = await running;
    expect(code).toBe(0);
    expect(fleet.leftBy(name)).toEqual(fleet.leftBy('alone'));
    expect(stdout.match(/does not take what it is given .*; give it more room/g)).toHaveLength(1);
    expect((fleet.fleetLines(name).at(-1)?.groups_by_workers ?? 0) > 0).toBe(isServed);
  },
  180_000,
);

it.skipIf(!canMount())(
  'a disk that is full for a while',
  async () => {
    const disk = fleet.place('disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk]);
    try {
      const config = changed('disk', (text) => inFolder(text, `${disk}/files`));
      const server = await fleet.serve(config);
      fleet.workers(2);
      const [full, free] = [fleet.hold(2), fleet.hold(5)];
      const running = fleet.train('disk-full');
      await full.reached();
      expect(() => writeFileSync(`${disk}/other`, new Uint8Array(DISK_BYTES))).toThrow('ENOSPC');
      full.release();
      await free.reached();
      rmSync(`${disk}/other`);
      free.release();
      await killed(server);
      await fleet.serve(config);
      expect((await running).code).toBe(0);
      expect(fleet.leftBy('disk-full')).toEqual(fleet.leftBy('alone'));
      expect(fleet.fleetLines('disk-full').at(-1)?.groups_by_learner).toBeGreaterThan(0);
    } finally {
      await fleet.end();
      execFileSync('umount', [disk]);
    }
  },
  180_000,
);

/** Whether this process may make a small disk of its own. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function existingText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
