import { describe } from 'vitest';
import { inContextKg } from '../../../data/tasks/in_context_kg/in_context_kg.ts';
import { ranking } from '../../../data/tasks/ranking/ranking.ts';
import { rulesCalc } from '../../../data/tasks/rules_calc/rules_calc.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { KNOWLEDGE } from '../second_checkers/knowledge.ts';

describeTasks(KNOWLEDGE, {
  in_context_kg: ['fd0ba0e3', '92f714a9', '23f3d3da', 'd3154e70'],
  ranking: ['ba85e294', '2180147f', '177181ec', 'f0ffbaf4'],
  rules_calc: ['25705158', 'a2b80bc0', 'ecce653a', '07203ad7'],
});

describe('in_context_kg: AfB BnQ', () => {
  itScores(inContextKg, {
    problem: { facts: ['QmX', 'AfB', 'BnQ'], ways: ['Afn'], way: ['B', 'Q'] },
    1: ['Q', ' Q\n'],
    0: ['B', 'X', 'q', 'BQ', 'none', 'BnQ', ''],
  });
  itScores(inContextKg, {
    problem: { facts: ['AfB', 'AfC', 'DmC', 'DmE'], ways: ['Af', 'Dm'], way: ['C'] },
    1: ['C'],
    0: ['B', 'E', 'none'],
  });
});

describe('ranking: documents of a grade in any order', () => {
  itScores(ranking, {
    problem: { query: 'abc', documents: ['dxa', 'cab', 'xbq'] },
    1: ['2,1,3', '2,3,1', '2 3 1', '[2, 1, 3]'],
    0: ['1,2,3', '2,1', '2,1,3,3', '2,1,4', '2:3,1:1,3:1', '213'],
  });
});

describe('rules_calc: a5 b2', () => {
  itScores(rulesCalc, {
    problem: { values: ['a5', 'b2'], rules: ['+3', 'a>4:+2', 'b<1:-1', '+2b'] },
    1: ['9', '9.0'],
    0: ['8', '5', '3+2+4', '9 9', ''],
  });
  itScores(rulesCalc, {
    problem: { values: ['a5'], rules: ['+3a', 't>12:=12', 't>12:-5'] },
    1: ['12'],
    0: ['15', '7'],
  });
});
