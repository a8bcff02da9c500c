import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  foreignText,
  print,
  printableJson,
  printError,
  printJson,
  sizeOf,
  wrapColumns,
} from '../../../src/cli/display/output.ts';
import { wrapWords } from '../display/live/text.ts';

const HOSTILE = '\u001b]0;title\u0007\u001b[2Ja\u001b[8mb\u009b31mc\u202ed\u200be\r\nf';
const SHOWN = '·]0;title··[2Ja·[8mb·31mc·d·e\nf';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** What a stream is given by `action`. */
function written(stream: NodeJS.WriteStream, action: () => void): string {
  let out = '';
  vi.spyOn(stream, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  action();
  return out;
}

describe('text of others', () => {
  it('reaches standard output and standard error without control characters', () => {
    expect(written(process.stdout, () => print(HOSTILE))).toBe(`${SHOWN}\n`);
    expect(written(process.stderr, () => printError(HOSTILE))).toBe(`${SHOWN}\n`);
  });

  it('keeps our own colours where there are any, and no other sequence', async () => {
    const text = '\u001b[1mtask\u001b[22m  \u001b[31mwrong\u001b[39m \u001b[8mhidden\u001b[40m\u001b[1A';
    expect(written(process.stdout, () => print(text))).not.toContain('\u001b');
    vi.stubEnv('FORCE_COLOR', '1');
    vi.stubEnv('NO_COLOR', '');
    vi.resetModules();
    const { terminalText } = await import('../../../src/cli/display/output.ts');
    expect(terminalText(text)).toBe('\u001b[1mtask\u001b[22m  \u001b[31mwrong\u001b[39m ·[8mhidden·[40m·[1A');
  });

  it('keeps the colours that code of the user gives its own lines, and no cursor codes', () => {
    expect(foreignText('\u001b[38;5;9mmine\u001b[0m\u001b[2J\n')).toBe('\u001b[38;5;9mmine\u001b[0m·[2J\n');
  });

  it('is escaped in JSON, which says the same', () => {
    const data = { [HOSTILE]: [HOSTILE, '\u{e0041}', '\ufeff'] };
    const json = printableJson(JSON.stringify(data, null, 2));
    expect(json).not.toMatch(/[^\n -~]/);
    expect(JSON.parse(json)).toEqual(data);
    expect(written(process.stdout, () => printJson('{"é": 1}'))).toBe('{"é": 1}\n');
  });
});

describe('the size of a terminal', () => {
  it.each([[{}], [{ columns: 0, rows: 0 }], [{ columns: Number.NaN, rows: Number.POSITIVE_INFINITY }]])(
    'is the usual one where it says %j',
    (said) => expect(sizeOf(said)).toEqual({ columns: 80, rows: 24 }),
  );

  it('wraps lines at 80 columns where it says 0, and not at all where there is no terminal', () => {
    const line = 'five five '.repeat(12).trim();
    expect(wrapWords(line, wrapColumns({ columns: 0 })).split('\n')).toHaveLength(2);
    expect(wrapWords(line, wrapColumns({}))).toBe(line);
    expect(wrapWords(line, wrapColumns({ columns: 40 })).split('\n').length).toBeGreaterThan(2);
  });
});
