import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { packagedConfigFile } from '../../../src/cli/runs/packaged_configs.ts';
import { folderOfFile } from '../../../test/support/folders.ts';
import { copyConfig, describeConfig, listConfigs } from '../actions/configs.ts';

const folder = folderOfFile();
let out = '';
afterEach(() => {
  vi.restoreAllMocks();
  out = '';
});

function listen(): void {
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
}

it('a config is described by its own comment', () => {
  const text =
    '# Sort digits. The reward\n# is dense.\n# Reaches 99.8 %.\n# Takes 35 s on two cores.\ntask: sort_digits\n# Not this.\n';
  expect(describeConfig('sort', text)).toEqual({
    name: 'sort',
    about: 'Sort digits.',
    takes: '35 s on two cores',
    reaches: '99.8 %',
  });
  expect(describeConfig('bare', 'task: sort_digits\n')).toEqual({
    name: 'bare',
    about: '',
    takes: undefined,
    reaches: undefined,
  });
});

it('lists every shipped config with what it teaches and how long it takes', () => {
  listen();
  listConfigs({ json: true });
  const configs = JSON.parse(out);
  expect(configs.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['countdown', 'reverse-text', 'sort-digits']),
  );
  for (const { name, about, takes, reaches } of configs) {
    expect(about, name).toMatch(/^\w.{10,100}\.$/);
    expect(takes, name).toMatch(/\d/);
    expect(reaches, name).toMatch(/^\d+\.\d % .*(?:median and range of |seed 0 alone)/);
  }
});

describe('copyConfig', () => {
  it('writes the file with the place of its schema, and says how to train it', () => {
    listen();
    const file = join(folder, 'mine.yaml');
    copyConfig('countdown', file, {});
    const [line = '', ...copied] = readFileSync(file, 'utf8').split('\n');
    const [, ...shipped] = readFileSync(packagedConfigFile('countdown')!, 'utf8').split('\n');
    expect(copied).toEqual(shipped);
    expect(line).toMatch(/^# yaml-language-server: \$schema=file:.*\/dist\/config\.schema\.json$/);
    expect(out).toContain(`${file}`);
  });

  it('replaces a file only when it is told to', () => {
    listen();
    const file = join(folder, 'there.yaml');
    writeFileSync(file, 'mine');
    expect(() => copyConfig('countdown', file, {})).toThrow(
      `${file}  is there already; give another name, or --force to replace it.`,
    );
    expect(readFileSync(file, 'utf8')).toBe('mine');
    copyConfig('countdown', file, { force: true });
    expect(readFileSync(file, 'utf8')).not.toBe('mine');
  });

  it('names the nearest config, and a directory that is missing', () => {
    expect(() => copyConfig('countdwon', undefined, {})).toThrow(/no such config .*did you mean "countdown"\?$/);
    expect(existsSync('countdwon.yaml')).toBe(false);
    const file = join(folder, 'no', 'such', 'place.yaml');
    expect(() => copyConfig('countdown', file, {})).toThrow('its directory does not exist');
  });
});
