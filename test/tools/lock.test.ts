/** The lock file: what `npm ci` installs, on every platform. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { completeLock, missingPackages, platformOf } from '../../tools/lock.mjs';

const read = (name: string) => JSON.parse(readFileSync(name, 'utf8'));

describe('package-lock.json', () => {
  const { packages } = read('package-lock.json');

  it('was renewed after the last change of package.json', () => {
    const { dependencies, devDependencies, peerDependencies } = read('package.json');
    const { dependencies: locked, devDependencies: lockedDev, peerDependencies: lockedPeers } = packages[''];
    expect({ locked, lockedDev, lockedPeers }, 'run `node tools/lock.mjs`').toEqual({
      locked: dependencies,
      lockedDev: devDependencies,
      lockedPeers: peerDependencies,
    });
  });

  it('holds the binaries of every platform, and no address of a registry', () => {
    expect(missingPackages(packages)).toEqual([]);
    expect(Object.values(packages).filter((entry) => 'resolved' in (entry as object))).toEqual([]);
  });
});

it('writes the binaries that a registry leaves out from what their parent says of them', () => {
  const parent = {
    version: '1.0.0',
    dev: true,
    optionalDependencies: { '@x/cli-linux-x64-musl': '1.0.0', y: '^2.0.0' },
  };
  const lock = { packages: { '': {}, 'node_modules/@x/x': parent, 'node_modules/@x/x/node_modules/y': {} } };
  expect(missingPackages(lock.packages).map(({ name }) => name)).toEqual(['@x/cli-linux-x64-musl']);
  const { packages } = completeLock(lock);
  expect(packages['node_modules/@x/cli-linux-x64-musl']).toEqual({
    version: '1.0.0',
    cpu: ['x64'],
    dev: true,
    libc: ['musl'],
    optional: true,
    os: ['linux'],
  });
  expect(missingPackages(packages)).toEqual([]);
});

it('refuses what it would have to guess', () => {
  const ranged = { packages: { 'node_modules/x': { optionalDependencies: { 'x-darwin-arm64': '^1.0.0' } } } };
  expect(() => completeLock(ranged)).toThrow('x-darwin-arm64@^1.0.0 is missing, and is no exact version');
  expect(() => platformOf('fsevents')).toThrow('its name says no platform');
  expect(platformOf('@biomejs/cli-win32-arm64')).toEqual({ os: ['win32'], cpu: ['arm64'] });
});
