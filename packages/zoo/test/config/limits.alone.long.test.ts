/** Configs of anyone: however long, deep or wrong, a text is parsed or refused in a moment, in few words. */
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lexer } from 'yaml';
import { ConfigError } from '../../../../src/errors.ts';
import { likelyValue } from '../../../../src/options/likely_value.ts';
import { budget } from '../../../../test/support/budget.ts';
import { loadConfigFile, parseConfig } from '../../../../test/support/everything.ts';

const LONGEST = 1_000_000;
const MOST_WORDS = 20_000;
/** Of processor time: the slowest text takes about one, and the quadratic searches that were took minutes. */
const MOST_SECONDS = 10;
/** 50 lines of a mistake each, the longest of which list every option of a task. */
const LONGEST_MESSAGE = 50_000;

interface Parsed {
  readonly seconds: number;
  readonly message: string;
}

/** The least of three tries where one is over the limit: the garbage of earlier texts may be collected in it. */
function parse(text: string, overrides: readonly string[] = []): Parsed {
  let least = parseOnce(text, overrides);
  for (let more = 2; more > 0 && least.seconds >= MOST_SECONDS; more--) {
    const again = parseOnce(text, overrides);
    if (again.seconds < least.seconds) least = again;
  }
  return least;
}

function parseOnce(text: string, overrides: readonly string[]): Parsed {
  const before = process.cpuUsage();
  let message = 'accepted';
  try {
    parseConfig(text, { file: 'run.yaml' }, overrides);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    message = error.message;
  }
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, message };
}

/** As often as one of the two limits allows, and not oftener. */
function filled({ begin = '', part, end = '' }: Shape): string {
  const words = [...new Lexer().lex(part.repeat(100))].length / 100;
  const room = LONGEST - begin.length - end.length;
  const times = Math.floor(Math.min(room / part.length, (MOST_WORDS - 100) / words));
  return begin + part.repeat(Math.max(1, times)) + end;
}

interface Shape {
  readonly begin?: string;
  readonly part: string;
  readonly end?: string;
}

const HEAD = 'task: countdown\nmax_steps: 3\n';
const PARTS = [
  ...[' ', '\t', '\n', '\r', '\r\n', '0', '1', '[', ']', '{', '}', '"', "'", ':', ': ', '-', '- ', '? ', ',', '.'],
  ...['&', '*', '!', '%', '|', '>', '#', ' #', '@', '`', '~', '_', '=', ' = ', '/', '\\', 'e', '–', '\u2028', '\ufeff'],
  ...['a: ', 'a:', 'a : ', '{a: ', '[[', '[{', '"\n', "'a\n", ' a', 'a=b ', '1,', '1_', '.1', '<<: '],
  ...['a: 1\n', 'a\n', '- a\n', '-a\n', '#a\n', '%a\n', '---\n', '...\n', '&a 1\n', '*a\n', '!!str a\n'],
  ...['\\u0041', ' \n', '\t\n'],
];
const FRAMES: readonly Omit<Shape, 'part'>[] = [
  {},
  { begin: `${HEAD}a`, end: 'x: 1\n' },
  { begin: `${HEAD}top_k: "`, end: 'x"\n' },
  { begin: 'task: {name: countdown, ', end: '}\nmax_steps: 3' },
];

describe('a text of up to 1 MB is parsed or refused in seconds of processor time, in a short message', () => {
  it.each(PARTS)(
    'of %j, wherever it stands',
    (part) => {
      const frames = [...FRAMES.slice(PARTS.indexOf(part) % FRAMES.length), ...FRAMES];
      for (const frame of frames.slice(0, budget({ quick: 1, all: 1, release: FRAMES.length }))) {
        const { seconds, message } = parse(filled({ ...frame, part }));
        const where = JSON.stringify(frame);
        expect(message.length, where).toBeLessThan(LONGEST_MESSAGE);
        expect(message.split('\n').length, where).toBeLessThanOrEqual(51);
        expect(seconds, where).toBeLessThan(MOST_SECONDS);
      }
    },
    60_000,
  );

  it('of any two parts', () => {
    const parts = fc.constantFrom(...PARTS);
    fc.assert(
      fc.property(parts, parts, fc.constantFrom(...FRAMES), (first, second, frame) => {
        const { seconds, message } = parse(filled({ ...frame, part: first + second }));
        expect(message.length).toBeLessThan(LONGEST_MESSAGE);
        expect(seconds).toBeLessThan(MOST_SECONDS);
      }),
      { numRuns: 10, examples: [['\\', '[[', FRAMES[2]]] },
    );
  }, 120_000);

  const names = (count: number, of: (index: number) => string): string =>
    Array.from({ length: count }, (_, i) => of(i)).join('');
  it.each([
    ['keys that nobody knows', names(2700, (i) => `k${i}: 1\n`)],
    ['keys near one that is known', names(2700, (i) => `learning_rat${i}: 1\n`)],
    ['long keys near one that is known', names(1000, (i) => `${'learning_rate_'.repeat(65)}${i}: 1\n`)],
    ['one key of a megabyte', `? ${'learning_rat'.repeat(80_000)}\n: 1\n`],
    ['one key again and again', 'seed: 1\n'.repeat(3900)],
    ['aliases', `a: &a 1\n${names(1900, (i) => `b${i}: *a\n`)}`],
    ['stages that are none', `${HEAD}stages:\n${'- a\n'.repeat(4900)}`],
    ['empty stages', `${HEAD}stages: [${'{},'.repeat(6000)}]`],
    ['stages', `${HEAD}stages: [${'{stage: grpo},'.repeat(2800)}]`],
    ['tasks', `max_steps: 3\ntasks: [${names(4900, (i) => `t${i}, `)}]`],
    ['rewards', `${HEAD}reward_funcs: [${names(4900, (i) => `r${i}, `)}]`],
    ['one reward again and again', `${HEAD}reward_funcs: [${'accuracy, '.repeat(6000)}]`],
    ['weights', `${HEAD}reward_weights: [${'x, '.repeat(4900)}]`],
    ['methods', `${HEAD}credit_steps: [${names(4900, (i) => `./m${i}.ts, `)}]`],
    ['methods that nobody knows', `${HEAD}credit_steps: [${names(4900, (i) => `m${i}, `)}]`],
    ['options of a method', `${HEAD}objective: {name: cispo, ${names(2700, (i) => `k${i}: 1, `)}}`],
    ['knobs of a task', `max_steps: 3\ntask: {name: countdown, ${names(2700, (i) => `k${i}: 1, `)}}`],
    ['mappings in mappings', `${HEAD}model: ${'{a: '.repeat(5000)}1${'}'.repeat(5000)}`],
    ['indentation', names(1400, (i) => `${' '.repeat(i)}a:\n`)],
    ['a name of a megabyte', `task: ${'countdown'.repeat(110_000)}\nmax_steps: 3\n`],
    ['values of a megabyte', names(20, (i) => `k${i}: ${'x'.repeat(49_000)}\n`)],
  ])('made of %s', (_, text) => {
    expect(text.length).toBeLessThan(LONGEST);
    const { seconds, message } = parse(text);
    expect(message.length).toBeLessThan(LONGEST_MESSAGE);
    expect(message).not.toContain('call stack');
    expect(seconds).toBeLessThan(MOST_SECONDS);
  });

  it('in an override, too', () => {
    for (const part of PARTS) {
      const { seconds, message } = parse(HEAD, [`top_k=${part.repeat(100_000 / part.length)}`]);
      expect(message.length).toBeLessThan(LONGEST_MESSAGE);
      expect(seconds, JSON.stringify(part)).toBeLessThan(MOST_SECONDS);
    }
  });
});

it('a long text in quotes is taken for no number', () => {
  const before = process.cpuUsage();
  expect(likelyValue(`${'1'.repeat(1_000_000)}x`)).toBeUndefined();
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(MOST_SECONDS);
});

describe('a text that is no config', () => {
  it('is refused at more than a megabyte', () => {
    expect(parse(`${HEAD}# ${'x'.repeat(LONGEST)}`).message).toBe(
      "run.yaml  more than 1 MB, which no config has; give the .yaml file, and keep data in a file of the task's.",
    );
  });

  it('is refused where it has too many words, by the line', () => {
    expect(parse(`${HEAD}${'- a\n'.repeat(9000)}`).message).toMatch(
      /^run\.yaml:\d+ {2}not valid YAML — more than 20,000 words and signs up to here; keep data in a file of the task's\.$/,
    );
  });

  it('shows its first fifty mistakes, and counts the others', () => {
    const lines = parse(`${HEAD}${Array.from({ length: 2500 }, (_, i) => `k${i}: 1\n`).join('')}`).message.split('\n');
    expect(lines).toHaveLength(51);
    expect(lines[0]).toBe('run.yaml:3  k0: 1 — unknown key; leave it out.');
    expect(lines[49]).toBe('run.yaml:52  k49: 1 — unknown key; leave it out.');
    expect(lines[50]).toBe('and 2,450 more.');
  });
});

it('an override of another version, with a tag, an alias, or nested without end is refused', () => {
  for (const value of ['%YAML 1.1\n--- 5:00', '!!binary aGk=', '*a', `${'['.repeat(40)}1${']'.repeat(40)}`]) {
    expect(parse(HEAD, [`seed=${value}`]).message, value).toContain('not a YAML value');
  }
  expect(parse(HEAD, ['seed=!!int 3', 'model={hidden_size: 32}']).message).toBe('accepted');
  expect(parse(`%YAML 1.2\n---\n${HEAD}`).message).toBe('accepted');
});

it('what a config says of itself is printable in its errors, one line per mistake', () => {
  const { message } = parse(`${HEAD}"\\e[2J\\nloads nothing\\u202e": "\\x9b1m"\nseed: "\u202e\u200b"\n- \u001b[8m\n`);
  expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  const lines = parse(`${HEAD}"\\e[2J\\nloads nothing\\u202e": "\\x9b1m"\nseed: "\u202e\u200b"\n`).message.split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^run\.yaml:3 {2}·\[2J·loads nothing·: /);
  for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it.skipIf(!existsSync('/dev/zero'))('a file without end is not read to the end', async () => {
  await expect(loadConfigFile('/dev/zero')).rejects.toThrow(/^\/dev\/zero {2}more than 1 MB, which no config has/);
});
