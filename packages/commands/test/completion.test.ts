/** The completion of the command line, as the shell asks for it. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { run } from '../../../test/cli/called.ts';
import { COMMANDS } from '../commands.ts';

/** What bash offers for the last of the words. */
async function offered(...words: readonly string[]): Promise<string[]> {
  const { out } = await run('completion', 'bash');
  const typed = ['rlvr-train', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${out}\nCOMP_WORDS=(${typed})\nCOMP_CWORD=${words.length}\n_rlvr_train\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc'], { input: script, encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe('the completion of bash', () => {
  it('offers commands, shipped configs and the flags of train first, and no alias', async () => {
    const all = await offered('');
    expect(all).toEqual(expect.arrayContaining(['eval', 'show', 'sort-digits', '--max-steps']));
    expect(COMMANDS.filter(({ name, isAlias }) => all.includes(name) === Boolean(isAlias))).toEqual([]);
  });

  it.each([
    [['co'], ['configs', 'compare', 'completion', 'countdown', 'countdown-steps']],
    [['sample', '--temp'], ['--temperature']],
    [['report', '--r'], []],
    [['show', 'cis'], ['cispo']],
    [['methods', 'sh'], ['show']],
    [['methods', 'show', 'cis'], ['cispo']],
    [['tasks', 'check', 'sort_d'], ['sort_digits']],
    [['data', 'route', '--o'], ['--output']],
    [['completion', 'f'], ['fish']],
  ])('offers after %j what fits', async (words, fitting) => {
    const found = await offered(...words);
    expect(fitting.filter((word) => !found.includes(word))).toEqual([]);
    const last = words.at(-1) ?? '';
    expect(found.filter((word) => !word.startsWith(last))).toEqual([]);
    if (fitting.length === 0) expect(found).toEqual([]);
  });
});

it('every shell gets every command', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out } = await run('completion', shell);
    for (const { name, isAlias } of COMMANDS) if (!isAlias) expect(out).toContain(name);
  }
});
