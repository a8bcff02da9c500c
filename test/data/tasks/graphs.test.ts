import { describeTasks } from '../../support/task_rules.ts';
import { GRAPHS } from '../second_checkers/graphs.ts';

describeTasks(GRAPHS, {
  shortest_path: ['ca239b16', 'bec6d889', 'ea1ebf04', '9954cd47'],
  topological_order: ['d0faa8b8', '2625da4e', 'e4fa3831', '780fdb0d'],
});
