import { describe } from 'vitest';
import { graphColor } from '../../../src/data/tasks/graph_color/graph_color.ts';
import { shortestPath } from '../../../src/data/tasks/shortest_path/shortest_path.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { GRAPHS } from '../second_checkers/graphs.ts';

describeTasks(GRAPHS, {
  shortest_path: ['ca239b16', 'bec6d889', 'ea1ebf04', '9954cd47'],
  topological_order: ['d0faa8b8', '2625da4e', 'e4fa3831', '780fdb0d'],
  maze: ['e4835bf3', '7632be07', '793b8ecc', '33402a74'],
  course_schedule: ['53ffadac', 'e7460777', 'cb799e95', 'ff023326'],
  path_star: ['3b06142c', '02167a69', '4d665034', 'ec98944d'],
  graph_color: ['97b34110', '9625381a', '7ef46eb0', '9b0e6501'],
});

describe('a triangle in three colours', () => {
  const edges = [
    [0, 1],
    [1, 2],
    [0, 2],
  ] as const;
  itScores(graphColor, {
    problem: { vertices: 3, colors: 3, edges },
    1: ['{"0":1,"1":2,"2":3}', '{"0":"1","1":"2","2":"3"}', '{"2": 3, "0": 1, "1": 2}'],
    // biome-ignore format: a list
    0: [
      '{"0":1,"1":2}', '{"0":1,"1":1,"2":2}', '{"0":1,"1":2,"2":4}', '{"0":0,"1":1,"2":2}', '{"0":1,"1":2,"2":3,"3":1}',
      '{"0":1,"0":2,"1":3,"2":1}', '{"0":true,"1":2,"2":3}', '{"0":1,"1":2,"2":null}', '{"0":1,"1":2,"2":[3]}',
      '{"0":1,"1":2,"__proto__":3}', '[1,2,3]', '{}',
    ],
  });
});

describe('a shortest way from S to G around a wall', () =>
  itScores(shortestPath, {
    problem: { rows: ['S#G', '...'] },
    1: ['DRRU'],
    // biome-ignore format: a list
    0: [
      'RR', 'DRR', 'DRRUD', 'DRLRRU', 'DXRRU', '', 'none', 'UDLR'.repeat(16), 'DRRU'.repeat(2), 'Do Read, Rest, Unwind',
      'The way is DRRU', 'drru',
    ],
  }));
