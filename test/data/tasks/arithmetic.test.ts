import { describeTasks } from '../../support/task_rules.ts';
import { ARITHMETIC } from '../second_checkers/arithmetic.ts';

describeTasks(ARITHMETIC, {
  gcd: ['8993cf29', '6b48ecfa', '85ba8eac', 'bcabdbe1'],
});
