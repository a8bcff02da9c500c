/** What averages weights does not go with an adapter: the product of two averages is another than the average of two products. */
import { expect, it } from 'vitest';
import { requireUses } from '../../../../src/run/check_uses.ts';
import { parseConfig, usesOf } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';

/** Why a run of these lines is refused, beside an adapter or without one. */
function refusalOf(lines: string, isAdapter = true): string {
  const model = isAdapter ? 'model_name_or_path: base\nuse_peft: true\n' : '';
  const { config } = parseConfig(`task: sort_digits\nmax_steps: 2\n${model}${lines}`, { file: 'my.yaml' });
  const uses = config.stages.flatMap((stage) => (stage.stage === 'grpo' ? [usesOf(stage)] : []));
  try {
    requireUses(uses, createTasks(config), config);
    return '';
  } catch (error) {
    return String(error);
  }
}

const RULE = 'averages weights, and an adapter is a product of two factors, whose averages are another adapter; ';

it.each([
  ['controllers: [checkpoint-average]', 'checkpoint-average', 'train without use_peft, or leave it out'],
  ['beta: 0.1\nsync_ref_model: true', 'ref-sync', 'set ref_model_mixup_alpha: 1, which copies it'],
  ['beta: 0.1\ncontrollers: [ref-ema]', 'ref-ema', 'use ref-reset, which copies it'],
])('%s is refused beside an adapter, and taken without one', (lines, id, remedy) => {
  expect(refusalOf(lines)).toContain(`${id}: ${RULE}${remedy}.`);
  expect(refusalOf(lines, false)).toBe('');
});

it.each([
  'controllers: [{name: checkpoint-average, kept_share: 1}]',
  'beta: 0.1\nsync_ref_model: true\nref_model_mixup_alpha: 1',
  'beta: 0.1\ncontrollers: [{name: ref-ema, ema_rate: 1}]',
  'beta: 0.1\ncontrollers: [{name: ref-reset, every: 2}]',
])('%s copies or keeps, and is taken', (lines) => {
  expect(refusalOf(lines)).toBe('');
});
