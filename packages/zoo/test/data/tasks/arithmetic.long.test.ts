import { describe, expect, it } from 'vitest';
import { bitwiseArithmetic } from '../../../data/tasks/bitwise_arithmetic/bitwise_arithmetic.ts';
import { coinFlip } from '../../../data/tasks/coin_flip/coin_flip.ts';
import { complexArithmetic } from '../../../data/tasks/complex_arithmetic/complex_arithmetic.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { ARITHMETIC } from '../second_checkers/arithmetic.ts';

describeTasks(ARITHMETIC, {
  gcd: ['5e07b569', '470598c0', '71552596', '4eb782b8'],
  chain_sum: ['3fd549cc', '778b67ed', '633490d8', '67c77e60'],
  basic_arithmetic: ['6a55b693', '3aeb652e', '09d97f37', '1e2011df'],
  products: ['1eb7b0a6', '6b649b64', '658b7dfd', '8875202d'],
  mod_arith: ['f35258af', '0233cacd', 'ee639d1f', 'fd1b842f'],
  count_bits: ['4501c9e0', 'accbc738', '9a6726aa', '517a67af'],
  lcm: ['ba58c79c', 'f6abac55', '1ae15ee1', '4abca6b7'],
  base_conversion: ['516c9e53', 'e2ed134e', '0975ae29', 'ffd7f37a'],
  number_format: ['f1416f84', 'ac420ab2', '529b7a0d', '24294baf'],
  simple_equations: ['11352040', '7764dae0', 'dc7e0e57', 'a499dfbe'],
  prime_factorization: ['37964003', '481c7058', '4fac3933', '37679874'],
  fraction_simplification: ['db197702', '5cf0a77c', '475bccb2', '232c5ba2'],
  count_primes: ['5b8edb23', 'eebbd19b', 'b8b91065', '86ca77ce'],
  decimal_chain_sum: ['2c0527c6', '14b9d176', 'a887fefa', 'd4c1fab6'],
  bitwise_arithmetic: ['82616f6a', '44fc35ca', 'f799b80e', 'fafa5d0a'],
  coin_flip: ['08f6196b', '57eb8ab4', '3ef1c390', '29ae6e7a'],
  complex_arithmetic: ['106e3ca2', 'bd2d3ffe', 'cb23a89b', '3815f755'],
  puzzle24: ['45feceae', '066d9f97', '0331aae3'],
  countdown: ['358936a8', '013e4678', '20e549a7'],
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
