import { describeTasks } from '../../support/task_rules.ts';
import { STRINGS } from '../second_checkers/strings.ts';

describeTasks(STRINGS, {
  copy: ['346b3dd7', '8d90060f', '1e5d8185', 'c4adbfd3'],
  parity: ['14fcd7b6', '25b0d6ee', '3193e519', '19c5dbf9'],
});
