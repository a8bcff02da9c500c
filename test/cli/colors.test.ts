import { describe, expect, it } from 'vitest';
import { wantsColors } from '../../src/cli/display/colors.ts';

const terminal = { isTTY: true };
const pipe = {};

describe('colours', () => {
  it.each([
    ['a terminal', { TERM: 'xterm' }, terminal, true],
    ['a terminal, NO_COLOR', { TERM: 'xterm', NO_COLOR: '1' }, terminal, false],
    ['a terminal that knows none', { TERM: 'dumb' }, terminal, false],
    ['a pipe', { TERM: 'xterm' }, pipe, false],
    ['a pipe in CI', { TERM: 'xterm', CI: 'true' }, pipe, false],
    ['a pipe, FORCE_COLOR', { FORCE_COLOR: '1' }, pipe, true],
    ['a terminal, FORCE_COLOR=0', { TERM: 'xterm', FORCE_COLOR: '0' }, terminal, false],
    ['NO_COLOR before FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, terminal, false],
  ])('%s', (_, env, stdout, expected) => {
    expect(wantsColors(env, stdout)).toBe(expected);
  });
});
