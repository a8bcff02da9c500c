import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { spelled } from '../../../src/cli/flags/flag.ts';
import { run } from '../../../test/cli/called.ts';
import { commandsPage } from '../command_page.ts';
import { COMMANDS } from '../commands.ts';

/** Every command there is, as a message lists them. */
const NAMES = COMMANDS.map(({ name }) => name).join(', ');

describe('the command line', () => {
  it('shows the flags of train, the default command, in its own help', async () => {
    const { out, error } = await run('--help');
    const flags = COMMANDS.flatMap(({ isDefault, flags = {} }) => (isDefault ? Object.keys(flags).map(spelled) : []));
    expect(flags).toContain('--max-steps');
    for (const word of [...flags, ...COMMANDS.map(({ name, usage = '' }) => `${name} ${usage}`)]) {
      expect(out, word).toContain(word);
    }
    expect(error).toMatchObject({ exitCode: 0 });
  });

  it.each([
    [['eval'], '--run: missing — the directory of a trained run; for example --run runs/countdown.'],
    [['evla', '--run', 'runs/x'], `evla — no such command (${NAMES}); did you mean "eval"?`],
    [['smaple'], `smaple — no such command (${NAMES}); did you mean "sample"?`],
    [
      ['configs/countdown.yaml'],
      'configs/countdown.yaml — a config needs its flag; use --config configs/countdown.yaml.',
    ],
    [['compare', 'runs/none'], 'runs/none — nothing to compare it with; give another run'],
    [['--config', 'no/such.yaml'], 'no/such.yaml  no such file; check the path'],
  ])('refuses %j with one line that says what to give', async (words, message) => {
    const { error, err } = await run(...words);
    const line = error instanceof CommanderError ? err.trimEnd() : (error as Error).message;
    expect(line).toContain(message);
    expect(line).not.toContain('\n');
  });

  it.each([
    [['--resum'], "error: unknown option '--resum' — did you mean --resume? (rlvr-train --help lists"],
    [['--seed', 'x'], "argument 'x' is invalid. use a whole number of 0 or more."],
    [['sample', '--run', 'a', '-t', 'hot'], 'use a number of 0 or more; 0 is greedy.'],
    [['--json', '--quiet'], "option '--json' cannot be used with option '--quiet'"],
    [['configs', 'cp'], "missing required argument 'name'"],
  ])('prints for %j one line, and neither usage nor stack', async (words, message) => {
    const { err, out } = await run(...words);
    expect(err).toContain(message);
    expect(err.trimEnd()).not.toContain('\n');
    expect(out).toBe('');
  });

  it('has every example in its reference, below its command, and no list of them written by hand', () => {
    const page = commandsPage(COMMANDS);
    const byHand = readFileSync(new URL('../../../docs/command.md', import.meta.url), 'utf8');
    for (const { name, examples = [] } of COMMANDS) {
      const section = page.split(`\n## ${name}\n`)[1]?.split('\n## ')[0] ?? '';
      for (const { words, does } of examples) {
        const lines = section.split('\n').filter((line) => line.endsWith(`# ${does}`));
        expect(lines).toEqual([expect.stringContaining(`npx --no-install rlvr-train ${words}`.trimEnd())]);
        expect(byHand).not.toContain(`# ${does}\n`);
      }
    }
  });

  it('has every flag of every command in its reference', () => {
    const page = commandsPage(COMMANDS);
    for (const { name, flags = {} } of COMMANDS.flatMap((command) => [command, ...(command.inner ?? [])])) {
      expect(page).toMatch(new RegExp(`^## .*\\b${name}$`, 'm'));
      for (const flag of Object.keys(flags)) expect(page).toContain(spelled(flag));
    }
  });

  it.each(COMMANDS.flatMap(({ examples = [] }) => examples.map(({ words }) => words)))(
    'knows the flags and commands of its example "%s"',
    (words) => {
      const [first = ''] = words.split(' ');
      const declared = COMMANDS.find(({ name, isDefault }) => (isDefault && !/^[a-z]/.test(first)) || name === first);
      const given = [...words.matchAll(/--[a-z-]+/g)].map(([flag]) => flag);
      const all = [declared, ...(declared?.inner ?? [])].flatMap((one) => Object.keys(one?.flags ?? {}).map(spelled));
      expect(all).toEqual(expect.arrayContaining(given));
    },
  );
});
