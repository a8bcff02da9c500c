import { describe } from 'vitest';
import { graphColor } from '../../../data/tasks/graph_color/graph_color.ts';
import { shortestPath } from '../../../data/tasks/shortest_path/shortest_path.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { GRAPHS } from '../second_checkers/graphs.ts';

describeTasks(GRAPHS, {
  shortest_path: ['bfcb18ff', 'c1abb9ce', '9314c620', '7ccc0232'],
  topological_order: ['9f0b9065', 'fa0691ab', '11d6cab5', '9ef8edf8'],
  maze: ['74a498bc', 'de672f20', '13a6dfe1', '6b929c7d'],
  course_schedule: ['99c0c5ce', 'e95c0282', '6b5ee675', 'e5233986'],
  path_star: ['e89b31ef', 'b844cd2b', '4c077f44', '28f61cb2'],
  graph_color: ['2900be98', '0cd9af0a', 'fc947a87', '5780f55b'],
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
