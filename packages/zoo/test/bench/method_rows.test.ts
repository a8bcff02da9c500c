/** Every row of the methods benchmark is a config: what it sets is known, and its methods are. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { methodRows } from '../../../../bench/method_rows.mjs';
import { METHOD_POINTS } from '../../../../src/methods/stage.ts';
import { METHODS, parseConfig } from '../../../../test/support/everything.ts';

const RECIPE = readFileSync(new URL('../../../../configs/sort-digits.yaml', import.meta.url), 'utf8');
const known = new Set(METHOD_POINTS.flatMap((point) => METHODS[point].map(({ id }) => id)));
const rows = methodRows(METHODS);

it('the rows have a dozen methods and more, each objective, and each ratio', () => {
  expect(rows.filter(({ name }) => !name.startsWith('four steps')).length).toBeGreaterThan(12);
  const four = rows.filter(({ name }) => name.startsWith('four steps')).length;
  expect(four).toBe(METHODS.objective.length + METHODS.ratio.length - 1);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
});

it.each(rows)('$name is a config of methods that there are', ({ set, uses }) => {
  expect(uses.filter((id) => !known.has(id))).toEqual([]);
  const [stage] = parseConfig(RECIPE, { file: 'sort-digits.yaml' }, set).config.stages;
  const named = JSON.stringify(stage);
  for (const id of uses) expect(named).toContain(`"name":"${id}"`);
});
