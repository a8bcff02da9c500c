/**
 * Texts of anyone on a terminal: a config, names of files, a task of a stranger, and the files of a run directory try to
 * move the cursor, to hide a line, or to turn its direction around, through every command.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { program } from '../../../src/cli/program.ts';
import { RlvrError } from '../../../src/errors.ts';

vi.mock('../display/live/foreground.ts', () => ({ isInForeground: () => true }));

/** An escape sequence that clears, one that hides, a C1 control, a line of its own, and marks that turn or take no place. */
const EVIL = '\u001b[2J\u001b[8m\u009b1A\r\u202e\u200b\u2066\u0007\u007f';
/** As a word of a path, a key or a message. */
const evil = (word: string): string => `${word}${EVIL}\nloads nothing`;

/** The sequences of our own: colours, and what the live region moves the cursor with. */
const ESCAPE = '\u001b\\[';
const COLORS = new RegExp(`${ESCAPE}(?:[0-2]|22|3[1-69])m`, 'g');
const REGION = new RegExp(`${ESCAPE}(?:\\?25[lh]|\\?2026[hl]|2K|J|\\d+A|2[23];2t)|\r(?=${ESCAPE}|\n|$)`, 'g');
/** A title of the window: plain characters alone. */
const BELL = '\u0007';
const TITLE = new RegExp(`\u001b\\]2;[^\\p{C}\\p{Zl}\\p{Zp}]*${BELL}`, 'gu');
const CONTROL = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const TASK = `
export default {
  name: ${JSON.stringify(evil('mine'))}, chance: 0.1, levels: [],
  knobs: {}, create: () => { throw new Error(${JSON.stringify(evil('no task'))}); },
};
`;
const REWARD = `
export default { name: ${JSON.stringify(evil('mine'))}, score: () => { throw new Error(${JSON.stringify(evil('thrown'))}); } };
`;
const BASE = `task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1}
max_steps: 2
num_generations: 4
generation_batch_size: 8
num_generations_eval: 1
reward_funcs: [positions]
threads: 1
backend: wasm
`;

let here = '';
let home = '';

beforeAll(() => {
  home = process.cwd();
  here = realpathSync(mkdtempSync(join(tmpdir(), 'rlvr-hostile-')));
  process.chdir(here);
  vi.stubEnv('XDG_CONFIG_HOME', join(here, 'home'));
  vi.stubEnv('HOME', join(here, 'home'));
});
afterAll(() => {
  process.chdir(home);
  vi.unstubAllEnvs();
  rmSync(here, { recursive: true, force: true });
});

/** All that a command writes to either stream, with its error as `main.ts` shows it. */
async function printed(words: readonly string[], terminal = false): Promise<string> {
  const { printError } = await import('../../../src/cli/display/output.ts');
  let text = '';
  const hear = (chunk: unknown): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString();
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(hear));
  const before = { isTTY: process.stdout.isTTY, columns: process.stdout.columns };
  if (terminal) {
    vi.stubEnv('CI', '');
    vi.stubEnv('TERM', 'xterm');
    Object.assign(process.stdout, { isTTY: true, columns: 0 });
  }
  try {
    await program().parseAsync(words, { from: 'user' });
  } catch (error) {
    if (error instanceof RlvrError) printError(error.message);
    else if (!(error instanceof CommanderError)) throw error;
  } finally {
    Object.assign(process.stdout, before);
    process.exitCode = undefined;
    for (const spy of spies) spy.mockRestore();
  }
  return text;
}

/** A hostile config, or one of a file of its own, and what trains with it. */
function config(name: string, text: string): string {
  writeFileSync(name, text);
  return name;
}

const OUT = evil('out');

describe('a training', () => {
  it.each([
    ['in plain lines', []],
    ['dry', ['--dry-run']],
    ['as JSON', ['--json', '--force']],
    ['quietly', ['--quiet']],
    ['with a line for every mistake', ['--set', `${evil('key')}=1`, '--set', `seed="${evil('x')}"`]],
  ])(
    'into a directory with a hostile name, %s',
    async (kind, flags) => {
      const text = await printed(['--config', config('plain.yaml', BASE), '--output', `${OUT}${kind}`, ...flags]);
      expect(text).not.toBe('');
      expect(text).not.toMatch(CONTROL);
    },
    60_000,
  );

  it('on a terminal of no columns moves the cursor for its own region alone, and keeps words on one line', async () => {
    const text = await printed(['--config', 'plain.yaml', '--output', `${OUT}live`], true);
    expect(text).toContain('\u001b[?25l');
    expect(text.replace(COLORS, '').replace(TITLE, '').replace(REGION, '')).not.toMatch(CONTROL);
    expect(text).toMatch(/sort_digits — \d+ held-out problems, never trained on/);
    expect(text).not.toContain('loads nothing\n');
  }, 60_000);

  it.each([
    ['keys', `${BASE}${JSON.stringify(evil('key'))}: ${JSON.stringify(evil('value'))}\n`],
    ['knobs', `task: {name: sort_digits, ${JSON.stringify(evil('knob'))}: 1}\nmax_steps: 2\n`],
    ['a task', `task: ${JSON.stringify(evil('task'))}\nmax_steps: 2\n`],
    ['a method', `${BASE}objective: ${JSON.stringify(evil('method'))}\n`],
    ['an option of a method', `${BASE}objective: {name: cispo, ${JSON.stringify(evil('option'))}: 1}\n`],
    ['a reward', `task: sort_digits\nmax_steps: 2\nreward_funcs: [${JSON.stringify(evil('reward'))}]\n`],
    ['a missing file', `task: sort_digits\nmax_steps: 2\nreward_funcs: [${JSON.stringify(`./${evil('r')}.ts`)}]\n`],
    ['an output', `${BASE}output_dir: ${JSON.stringify(evil('o'))}\nseed: x\n`],
    ['a line that is no YAML', `${BASE}${evil('a')}: [\n`],
    ['a tag', `${BASE}a: !<tag:\u202e\u001b> 1\n`],
  ])('is refused in printable lines where its config has hostile %s', async (_, text) => {
    const said = await printed(['--config', config(`${evil('c')}.yaml`, text)]);
    expect(said).not.toBe('');
    expect(said).not.toMatch(CONTROL);
  });

  it.each([
    ['a reward throws', { 'evil.mjs': REWARD }, `${BASE.replace('[positions]', '[./evil.mjs]')}`],
    ['a task throws', { 'task.mjs': TASK }, `${BASE.replace('{name: sort_digits, digits: 3}', './task.mjs')}`],
  ])(
    'ends in printable lines where %s',
    async (_, files, text) => {
      for (const [name, content] of Object.entries(files)) writeFileSync(name, content);
      const trust = Object.keys(files).flatMap((name) => ['--trust', name]);
      const said = await printed(['--config', config('own.yaml', text), '--output', evil('own'), ...trust]);
      expect(said).not.toBe('');
      expect(said).not.toMatch(CONTROL);
    },
    60_000,
  );
});

describe('a run directory', () => {
  const commands: (readonly [string, readonly string[]])[] = [
    ['eval', ['eval', '--run']],
    ['eval --json', ['eval', '--json', '--run']],
    ['sample', ['sample', '--run']],
    ['sample of a hostile prompt', ['sample', evil('p'), '--run']],
    ['report', ['report', '--run']],
    ['runs ls', ['runs', 'ls']],
    ['runs ls --json', ['runs', 'ls', '--json']],
    ['resume', ['--resume', '--plain', '--output']],
    ['a second run', ['--config', 'plain.yaml', '--output']],
  ];
  const directory = `${OUT}in plain lines`;

  it.each(commands)(
    'with a hostile name is shown by %s in printable lines',
    async (_, words) => {
      const said = await printed([...words, directory]);
      expect(said).not.toBe('');
      expect(said).not.toMatch(CONTROL);
    },
    60_000,
  );

  it.each(['config.yaml', 'summary.json', 'fingerprint.json', 'metrics.jsonl', 'completions.jsonl', 'failure.json'])(
    'whose %s is hostile is shown by each of them in printable lines',
    async (file) => {
      const damaged = join('damaged', file);
      mkdirSync(damaged, { recursive: true });
      for (const name of readdirSync(directory, { withFileTypes: true })) {
        if (name.isFile()) writeFileSync(join(damaged, name.name), readFileSync(join(directory, name.name)));
      }
      const words = (text: string): string =>
        text.replace(/"(\w*[a-z_]{4,}\w*)"(?!:)/g, (_, word) => JSON.stringify(evil(word)));
      const before = file === 'failure.json' ? '{"message": "failed"}' : readFileSync(join(directory, file), 'utf8');
      writeFileSync(
        join(damaged, file),
        file === 'config.yaml' ? `${before}${JSON.stringify(evil('key'))}: 1\n` : words(before),
      );
      for (const [name, command] of commands) expect(await printed([...command, damaged]), name).not.toMatch(CONTROL);
    },
    120_000,
  );
});

it.each([
  ['list', ['list', evil('task')]],
  ['configs cp', ['configs', 'cp', evil('countdown')]],
  ['configs cp into a hostile name', ['configs', 'cp', 'sort-digits', `${evil('copy')}.yaml`]],
  ['configs ls', ['configs', evil('ls')]],
  ['a word', [evil('word')]],
  ['a flag', [`--${evil('flag')}`]],
  ['a config that is not there', ['--config', `${evil('none')}.yaml`]],
  ['a run that is not there', ['eval', '--run', evil('none')]],
  ['a backend', ['--config', 'plain.yaml', '--backend', evil('gpu')]],
])('%s is answered in printable lines', async (_, words) => {
  const said = await printed(words);
  expect(said).not.toBe('');
  expect(said).not.toMatch(CONTROL);
});
