/** Commands that are printed to be typed: they start the program that printed them, and never ask a registry. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { howStarted } from '../../src/cli/process/how_started.ts';
import { commandName, nameCommand } from '../../src/command_name.ts';
import { resumeCommand } from '../../src/run/resume_command.ts';

const USUAL = commandName();

afterEach(() => nameCommand(USUAL));

it.each([
  ['/home/me/app/node_modules/.bin/rlvr-train', 'npx --no-install rlvr-train'],
  ['/home/me/.npm/_npx/119e425e/node_modules/.bin/rlvr-train', 'npx --no-install rlvr-train'],
  ['/usr/local/bin/rlvr-train', 'rlvr-train'],
  ['/home/me/app/dist/cli/main.js', 'node dist/cli/main.js'],
  ['/opt/rlvr train/dist/cli/main.js', "node '/opt/rlvr train/dist/cli/main.js'"],
])('%s is started again by %s', (script, command) => {
  expect(howStarted(script, '/home/me/app')).toBe(command);
});

it('the command that resumes a run begins with how the program was started', () => {
  expect(resumeCommand('runs/a')).toBe('npx --no-install rlvr-train --resume --output runs/a');
  nameCommand('node dist/cli/main.js');
  expect(resumeCommand('runs/a')).toBe('node dist/cli/main.js --resume --output runs/a');
});

it('no message and no page tells people to run `npx rlvr-train`, which asks a registry where nothing is installed', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const files = ['src', 'packages', 'docs', 'configs', 'examples', 'web/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|md|yaml|mjs)$/.test(name) && !/assets|binaries/.test(name))
      .map((name) => join(folder, name)),
  );
  const naming = [...files, 'README.md', 'CONTRIBUTING.md'].filter((file) =>
    readFileSync(join(root, file), 'utf8').includes('npx rlvr-train'),
  );
  expect(naming).toEqual([]);
});
