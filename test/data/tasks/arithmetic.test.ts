import { describeTasks } from '../../support/task_rules.ts';
import { ARITHMETIC } from '../second_checkers/arithmetic.ts';

describeTasks(ARITHMETIC, {
  gcd: ['8993cf29', '6b48ecfa', '85ba8eac', 'bcabdbe1'],
  chain_sum: ['cf0f27f1', 'eb9f4f61', 'eb624f72', '96d04ffa'],
  basic_arithmetic: ['7d4833f1', '52f032cd', '3895d23a', 'a07fbffd'],
  products: ['7679dd97', '7efbc74a', '09ae2ca5', 'a7372261'],
  mod_arith: ['f4943b79', '1440a533', 'a8b52fde', 'eb63d9bc'],
  count_bits: ['10cf189d', 'e3f87363', '445371c8', '39d4e48a'],
  lcm: ['98ea9462', 'fe8a84bf', '26fcf2d3', 'eb0ed0f1'],
  base_conversion: ['b474e2db', '4dfb61fb', '12ddbe30', 'd6367947'],
  number_format: ['bcc1311c', '3dba3601', '606871ce', '6f4063f4'],
  simple_equations: ['3738e7be', '3646bf4b', '4bc68e21', '7a75d3dc'],
  prime_factorization: ['03e34e88', '94e0b9a9', 'e1b7961f', 'ab96983e'],
  fraction_simplification: ['66cdc4b0', '494e49f3', '8dedd8b4', '86f406bc'],
  count_primes: ['f228f43a', '22491af1', 'a03a2b7e', '3f26e6f9'],
  decimal_chain_sum: ['8938f326', '15b4ef4c', '16e0c1af', '5e84644c'],
  puzzle24: ['f0f0cd47', 'df3760bc', '62672e10'],
  countdown: ['c7e33d8f', 'a3203565', 'e7554ea6'],
});
