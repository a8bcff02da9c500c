import { describe, expect, it } from 'vitest';
import { bitwiseArithmetic } from '../../../src/data/tasks/bitwise_arithmetic/bitwise_arithmetic.ts';
import { coinFlip } from '../../../src/data/tasks/coin_flip/coin_flip.ts';
import { complexArithmetic } from '../../../src/data/tasks/complex_arithmetic/complex_arithmetic.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { ARITHMETIC } from '../second_checkers/arithmetic.ts';

describeTasks(ARITHMETIC, {
  gcd: ['8993cf29', '6b48ecfa', '85ba8eac', 'bcabdbe1'],
  chain_sum: ['ad0aa6b3', 'eb9f4f61', 'eb624f72', '96d04ffa'],
  basic_arithmetic: ['7d4833f1', '52f032cd', '3895d23a', 'a07fbffd'],
  products: ['7679dd97', '7efbc74a', '09ae2ca5', 'a7372261'],
  mod_arith: ['f4943b79', '1440a533', 'a8b52fde', 'eb63d9bc'],
  count_bits: ['10cf189d', 'e3f87363', '445371c8', '39d4e48a'],
  lcm: ['98ea9462', 'fe8a84bf', '26fcf2d3', 'eb0ed0f1'],
  base_conversion: ['2c167d90', '3bda65bc', 'e7555819', 'e52241a8'],
  number_format: ['bcc1311c', '3dba3601', '606871ce', '6f4063f4'],
  simple_equations: ['3738e7be', '3646bf4b', '4bc68e21', '7a75d3dc'],
  prime_factorization: ['03e34e88', '94e0b9a9', 'e1b7961f', 'ab96983e'],
  fraction_simplification: ['66cdc4b0', '494e49f3', '8dedd8b4', '86f406bc'],
  count_primes: ['f228f43a', '22491af1', 'a03a2b7e', '3f26e6f9'],
  decimal_chain_sum: ['8938f326', '15b4ef4c', '16e0c1af', '5e84644c'],
  bitwise_arithmetic: ['c56418bd', 'fb42b72f', 'ac93ac58', '8d9050a6'],
  coin_flip: ['6e0eb2e5', '6e621b0b', '4925abdb', 'b202808f'],
  complex_arithmetic: ['1d751ae4', 'df638f08', 'b401748c', 'c2d40bc9'],
  puzzle24: ['f0f0cd47', 'df3760bc', '62672e10'],
  countdown: ['c7e33d8f', 'a3203565', 'e7554ea6'],
});

describe('bitwise_arithmetic: 3 - 1c', () => {
  itScores(bitwiseArithmetic, {
    problem: { tree: ['-', 3, 28] },
    1: ['-19', '-0x19', '\u221219'],
    0: ['19', '-25', '0x-19', 'ffffffe7', '0xffffffe7', '0x3-0x1c', '-19 -19', '-\uff11\uff19'],
  });

  it('has one key for orders of the operands, and others for other problems', () => {
    const key = (tree: Parameters<typeof bitwiseArithmetic.key>[0]['tree']) => bitwiseArithmetic.key({ tree });
    expect(key(['+', ['-', 3, 28], 5])).toBe(key(['-', ['+', 5, 3], 28]));
    expect(key(['&', ['&', 3, 28], 5])).toBe(key(['&', 5, ['&', 28, 3]]));
    expect(key(['-', 3, 28])).not.toBe(key(['-', 28, 3]));
    expect(key(['-', 3, ['-', 4, 5]])).not.toBe(key(['-', ['-', 3, 4], 5]));
    expect(key(['<<', 3, 2])).not.toBe(key(['<<', 2, 3]));
  });
});

describe('complex_arithmetic: (3+2i)*(1-4i)', () =>
  itScores(complexArithmetic, {
    problem: { operator: '*', left: [3, 2], right: [1, -4] },
    1: ['11-10i', '11.0 - 10.0i', '-10i+11', '11\u221210i'],
    // biome-ignore format: a list
    0: [
      '11-10.5i', '11-10.0000000001i', '11+10i', '11', '-10i', '11-10', '11-10j', '(3+2i)*(1-4i)', '11-10i+0',
      '11-10i 11-10i', '11,-10',
    ],
  }));

describe('coin_flip: exactly 2 heads of 5', () =>
  itScores(coinFlip, {
    problem: { flips: 5, heads: 2, atLeast: false, bias: [1, 2] },
    1: ['5/16', '10/32', '0.3125', '31.25%', '\\frac{5}{16}'],
    0: ['0', '0.', '0.3', '0.31', '0.3125000001', '5', '13/16', '10/2^5', '5/16 or 3/8'],
  }));
