/** A knob or an option that is declared in one file is everywhere: that file is replaced here, and nothing else. */

import { Ajv } from 'ajv';
import { expect, it, vi } from 'vitest';
import '../all_parts.ts'; // those of the setup file are gone with its modules
import { createTask } from '../../../../test/support/everything.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { cataloguePage } from '../../../zoo/catalogue/catalogue_page.ts';
import { methodPage } from '../../../zoo/catalogue/method_page.ts';
import { configJsonSchema } from '../../../zoo/catalogue/schema.ts';
import { catalogue } from '../../../zoo/catalogue/whole_catalogue.ts';
import { listText } from '../../actions/list.ts';

// The setup has loaded the core, and with it the card that is replaced here.
vi.hoisted(() => vi.resetModules());

vi.mock(import('../../../../src/data/tasks/sort_digits/card.ts'), async (original) => {
  const { flag, key } = await import('../../../../src/options/keys.ts');
  const { sortDigitsCard } = await original();
  const descending = key('descending', flag().default(false).describe('Largest digit first.'));
  return { sortDigitsCard: { ...sortDigitsCard, knobs: { ...sortDigitsCard.knobs, descending } } };
});

vi.mock(import('../../../zoo/methods/credit_steps/length_mask.ts'), async (original) => {
  const { key, integer } = await import('../../../../src/options/keys.ts');
  const { lengthMask } = await original();
  const least = key('min_tokens', integer({ min: 0, example: 3 }).default(0).describe('Fewest tokens.'));
  return { lengthMask: { ...lengthMask, options: { ...lengthMask.options, least } } };
});

const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(configJsonSchema() as object);

it('a knob stands in the config, its schema, the list, the reference and what the page makes controls of', async () => {
  const task = { name: 'sort_digits', descending: true };
  expect((await createTask(task)).knobs).toEqual({ digits: 4, descending: true });
  await expect(createTask({ ...task, descending: 3 })).rejects.toThrow('task.descending: 3 — must be true or false');
  expect(validate({ task })).toBe(true);
  expect(validate({ task: { ...task, descending: 3 } })).toBe(false);
  const all = catalogue();
  const sorting = all.tasks.filter(({ name }) => name === 'sort_digits');
  const option = { name: 'descending', type: 'flag', default: false, text: 'Largest digit first.' };
  expect(sorting[0].options).toContainEqual(expect.objectContaining(option));
  const found = { tasks: sorting, rewards: [], points: [], methods: [] };
  expect(listText(found, 'full')).toContain('descending  Largest digit first. (true or false; default false)');
  expect(cataloguePage(all)).toContain('| `descending` | true or false; default false | Largest digit first. |');
});

it('an option of a method stands in the stage, the list, the reference and its page', () => {
  const stage = stageOf('credit_steps: [{name: length-mask, max_tokens: 24, min_tokens: 3}]');
  expect(stage.methods.creditSteps).toEqual([{ name: 'length-mask', max_tokens: 24, min_tokens: 3 }]);
  const all = catalogue();
  const masks = all.methods.filter(({ name }) => name === 'length-mask');
  expect(masks[0].options.map(({ name }) => name)).toEqual(['max_tokens', 'min_tokens']);
  expect(masks[0].yaml).toContain('credit_steps: [{name: length-mask, max_tokens: 24, min_tokens: 3}]');
  const found = { tasks: [], rewards: [], points: [], methods: masks };
  expect(listText(found, 'full')).toContain('min_tokens  Fewest tokens. (whole number of 0 or more; default 0)');
  expect(cataloguePage(all)).toMatch(/\[length-mask\].*`max_tokens`, `min_tokens`/);
  const page = methodPage(masks[0], { needs: [], remarks: [] }, '');
  expect(page).toContain('| `min_tokens` | whole number of 0 or more; default 0 | Fewest tokens. |');
});
