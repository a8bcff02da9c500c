/** Panels of what evaluations report besides accuracy. */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/run/json.ts';
import { otherPanels } from '../page/panels.ts';
import { Curves, NO_COMPLETIONS } from '../page/track.ts';
import { readCurves } from './read_curves.ts';
import { evaluation, step } from './run_directory.ts';

const figure = (name: string, value: number): JsonObject => ({
  [`eval_search/${name}`]: value,
  [`eval_search/${name}_low`]: value - 0.5,
  [`eval_search/${name}_high`]: value + 0.5,
});

it('each further figure has a panel of its own, with those beside it that its name begins', () => {
  const lines = [
    { ...evaluation('grpo', 0, 'baseline', 0.25), ...figure('tries', 3), ...figure('first', 0.5) },
    step('grpo', 1),
    {
      ...evaluation('grpo', 1, 'final', 0.5),
      ...figure('tries', 2),
      ...figure('first', 1),
      ...figure('first_chance', 0.75),
    },
  ];
  const curves = new Curves({ ...readCurves(lines, [{ stage: 'grpo' }]), completions: NO_COMPLETIONS });
  const shown = otherPanels(curves).panels.filter(({ title }) => title.startsWith('search/'));
  expect(shown.map(({ title, series }) => [title, series.map(({ label, values }) => [label, values])])).toEqual([
    ['search/tries', [['policy', [3, 2]]]],
    [
      'search/first',
      [
        ['policy', [0.5, 1]],
        ['chance', [null, 0.75]],
      ],
    ],
  ]);
  expect(shown[0].series[0]).toMatchObject({ low: [2.5, 1.5], high: [3.5, 2.5] });
  const without = new Curves({
    ...readCurves([evaluation('grpo', 0, 'final', 1)], [{ stage: 'grpo' }]),
    completions: NO_COMPLETIONS,
  });
  expect(otherPanels(without).panels).toEqual([]);
});
