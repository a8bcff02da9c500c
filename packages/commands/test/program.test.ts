import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { spelled } from '../../../src/cli/flags/flag.ts';
import { run } from '../../../test/cli/called.ts';
import { commandsPage } from '../command_page.ts';
import { COMMANDS } from '../commands.ts';

/** Commands that are listed. */
const LISTED = COMMANDS.filter(({ isAlias }) => !isAlias);

/** The columns that every terminal has. */
const COLUMNS = 80;

describe('the command line', () => {
  it('says on one screen what to type first, and every command once, in its group', async () => {
    const { out, error } = await run('--help');
    const lines = out.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(25);
    expect(lines.filter((line) => line.length > COLUMNS)).toEqual([]);
    expect(lines[1]).toMatch(/^ {2}npx --no-install rlvr-train +learns Countdown/);
    const typed = lines.slice(lines.indexOf('') + 1).flatMap((line) => line.slice(15, 38).split(' ')[0].split('|'));
    expect([...typed].sort()).toEqual(LISTED.map(({ name }) => name).sort());
    expect(error).toMatchObject({ exitCode: 0 });
  });

  it.each(LISTED.map(({ name }) => name))('explains %s in 80 columns, with two examples or more', async (name) => {
    const { out } = await run(name, '--help');
    const [about = '', examples = ''] = out.split('\nExamples:\n');
    expect(out.split('\n').filter((line) => line.length > COLUMNS)).toEqual([]);
    expect(about).toContain(`Usage: rlvr-train ${name}`);
    expect(examples.match(/^ {2}\S.*rlvr-train/gm)?.length).toBeGreaterThanOrEqual(2);
  });

  it('has in the help of train all of its flags but those that a word says as well', async () => {
    const { out } = await run('train', '--help');
    const flags = COMMANDS.flatMap(({ isDefault, flags = {} }) => (isDefault ? Object.keys(flags).map(spelled) : []));
    expect(flags).toContain('--max-steps');
    for (const flag of flags) expect(out).toContain(flag);
    expect((await run('report', '--help')).out).not.toContain('--run');
  });

  it.each([
    [['--resum'], "error: unknown option '--resum' — did you mean --resume? (rlvr-train --help lists"],
    [['--seed', 'x'], "argument 'x' is invalid. use a whole number of 0 or more."],
    [['sample', 'a', '-t', 'hot'], 'use a number of 0 or more; 0 is greedy.'],
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
      for (const [flag, { isAlias }] of Object.entries(flags)) if (!isAlias) expect(page).toContain(spelled(flag));
    }
  });

  it.each(COMMANDS.flatMap(({ examples = [] }) => examples.map(({ words }) => words)))(
    'knows the flags and commands of its example "%s"',
    (words) => {
      const [first = ''] = words.split(' ');
      const declared = COMMANDS.find(({ name }) => name === first) ?? COMMANDS.find(({ isDefault }) => isDefault);
      const given = [...words.matchAll(/--[a-z-]+/g)].map(([flag]) => flag);
      const all = [declared, ...(declared?.inner ?? [])].flatMap((one) => Object.keys(one?.flags ?? {}).map(spelled));
      expect(all).toEqual(expect.arrayContaining(given));
    },
  );
});
