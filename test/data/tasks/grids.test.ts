import { describeTasks } from '../../support/task_rules.ts';
import { GRIDS } from '../second_checkers/grids.ts';

describeTasks(GRIDS, {
  rotate_matrix: ['ace93914', '11d8def6', 'fd3c374a', 'efea640f'],
  spiral_matrix: ['d0e31165', '1e99e0c8', 'eb2bf15a', '2548f883'],
  binary_matrix: ['5ccbf661', '12c5770e', '59df972e', '8eba8225'],
  rotten_oranges: ['9dd8ea58', '09ec42ed', '45edb662', 'ebde4527'],
  largest_island: ['1767c453', 'd9dc9604', 'dc2d0cef', '0f55d1dc'],
  game_of_life: ['5e9be2c8', '01926e31', 'c2d78bdb', '4b246f50'],
});
