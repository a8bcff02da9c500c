import { describe, expect, it } from 'vitest';
import { choice, integer, key, number, options } from '../../src/options/keys.ts';
import { type OptionSubject, readOptions, takeOptions } from '../../src/options/read.ts';

const TABLE = {
  ...options({
    size: integer({ min: 1, max: 9, example: 4 }).default(4).describe('How large.'),
    share: number({ min: 0, max: 1, example: 0.5 }),
    form: choice(['round', 'square']).optional(),
  }),
  maxTokens: key('max_tokens', integer({ min: 1, example: 12 }).default(12)),
};
const ABOUT = { path: 'things.0', subject: 'thing', beside: ['weight'] } satisfies OptionSubject<unknown>;

function problemsOf(given: Record<string, unknown>, about: OptionSubject<unknown> = ABOUT): string[] {
  const result = readOptions(TABLE, given, about);
  return result.ok ? [] : result.problems.map(({ path, value, rule }) => `${path}: ${JSON.stringify(value)} — ${rule}`);
}

describe('readOptions', () => {
  it('fills in defaults, leaves out what was not given, and renames to the names of the table', () => {
    const result = readOptions(TABLE, { share: 0, max_tokens: 3 }, ABOUT);
    expect(result).toEqual({ ok: true, values: { size: 4, share: 0, maxTokens: 3 } });
  });

  it('says all that is wrong at once', () => {
    expect(problemsOf({ size: 10, form: 'oval', colour: 1, share: '0.5' })).toEqual([
      'things.0.colour: 1 — no such option of thing (it takes size, share, form, max_tokens); leave it out',
      'things.0.size: 10 — must be from 1 to 9; for example 4',
      'things.0.share: "0.5" — must be a finite number; write 0.5, as quotes make a text of it',
      'things.0.form: "oval" — not one of the choices; use round, square',
    ]);
  });

  it('takes an option that is misspelled for the one that is missing', () => {
    expect(problemsOf({ shar: 0.5, wieght: 1 })).toEqual([
      'things.0.shar: 0.5 — no such option of thing (it takes size, share, form, max_tokens); the nearest is share',
      'things.0.wieght: 1 — no such option of thing (it takes size, share, form, max_tokens); the nearest is weight',
    ]);
    expect(problemsOf({})).toEqual(['things.0.share: undefined — must be a finite number; for example 0.5']);
  });

  it('asks rules that combine options only where each value is sound', () => {
    const rules = () => [{ key: 'max_tokens', rule: 'too many; lower it' }];
    expect(problemsOf({ share: 1 }, { ...ABOUT, rules })).toEqual([
      'things.0.max_tokens: undefined — too many; lower it',
    ]);
    expect(problemsOf({ share: 2 }, { ...ABOUT, rules })).toHaveLength(1);
  });

  it('does not mistake what every object inherits for an option', () => {
    expect(problemsOf({ share: 1, toString: 1 })).toHaveLength(1);
    const inherited = Object.create({ size: 300 }) as Record<string, unknown>;
    expect(problemsOf(Object.assign(inherited, { share: 1 }))).toEqual([]);
  });
});

it('takeOptions throws one error with a line a problem', () => {
  expect(() => takeOptions(TABLE, { size: 0 }, ABOUT)).toThrow(
    'things.0.size: 0 — must be from 1 to 9; for example 4.\n' +
      'things.0.share: missing — must be a finite number; for example 0.5.',
  );
  expect(takeOptions(TABLE, { share: 1 }, ABOUT).share).toBe(1);
});
