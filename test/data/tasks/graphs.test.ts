import { describe, expect, it } from 'vitest';
import { graphColor } from '../../../src/data/tasks/graph_color/graph_color.ts';
import { shortestPath } from '../../../src/data/tasks/shortest_path/shortest_path.ts';
import { describeTasks, scoreOf } from '../../support/task_rules.ts';
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
  it.each([
    ['{"0":1,"1":2,"2":3}', 1],
    ['{"0":"1","1":"2","2":"3"}', 1],
    ['{"2": 3, "0": 1, "1": 2}', 1],
    ['{"0":1,"1":2}', 0],
    ['{"0":1,"1":1,"2":2}', 0],
    ['{"0":1,"1":2,"2":4}', 0],
    ['{"0":0,"1":1,"2":2}', 0],
    ['{"0":1,"1":2,"2":3,"3":1}', 0],
    ['{"0":1,"0":2,"1":3,"2":1}', 0],
    ['{"0":true,"1":2,"2":3}', 0],
    ['{"0":1,"1":2,"2":null}', 0],
    ['{"0":1,"1":2,"2":[3]}', 0],
    ['{"0":1,"1":2,"__proto__":3}', 0],
    ['[1,2,3]', 0],
    ['{}', 0],
  ])('%s scores %d', (answer, expected) => {
    expect(scoreOf(graphColor, { vertices: 3, colors: 3, edges }, answer)).toBe(expected);
  });
});

describe('a shortest way from S to G around a wall', () => {
  it.each([
    ['DRRU', 1],
    ['RR', 0],
    ['DRR', 0],
    ['DRRUD', 0],
    ['DRLRRU', 0],
    ['DXRRU', 0],
    ['', 0],
    ['none', 0],
    ['UDLR'.repeat(16), 0],
    ['DRRU'.repeat(2), 0],
    ['Do Read, Rest, Unwind', 0],
    ['The way is DRRU', 0],
    ['drru', 0],
  ])('%s scores %d', (answer, expected) => {
    expect(scoreOf(shortestPath, { rows: ['S#G', '...'] }, answer)).toBe(expected);
  });
});
