import { expect, it } from 'vitest';
import { linesOf, type View } from '../page/charts/chart_lines.ts';
import { csvOf } from '../page/charts/save_chart.ts';
import { logDomainOf } from '../page/charts/scales.ts';
import { Curves, type Series } from '../page/track.ts';
import { readCurves } from './read_curves.ts';
import { step } from './run_directory.ts';

const lines = [step('sft', 1, { loss: 4 }), step('grpo', 1, { loss: 0.5 }), step('grpo', 2, { loss: 0.25 })];
const completions = { groups: [], reasons: [], rewardNames: [], stepsRecorded: 0, stepsKept: 0, isEnd: false };
const curves = new Curves({ ...readCurves(lines, [{ stage: 'sft' }, { stage: 'grpo' }]), completions });
const view: View = { axis: 'step', stage: 'all', smoothing: 0.5, scale: 'linear', zoom: null, hidden: new Set() };
const series: Series[] = [
  { label: 'loss', key: 'a', track: curves.metrics, values: curves.column('loss') },
  {
    label: '=cmd("x"), evil',
    key: 'b',
    track: curves.metrics,
    values: [null, 1, 2],
    low: [null, 0, 1],
    high: [null, 2, 3],
  },
];

it('a CSV has a row per point, stage by stage, with what was logged and not its average', () => {
  const [head, ...rows] = csvOf(linesOf(series, view), curves).trim().split('\n');
  expect(rows).toEqual(['sft,1,0.5,100,4,,,', 'grpo,1,1,100,0.5,1,0,2', 'grpo,2,1.5,200,0.25,2,1,3']);
  expect(head).toBe(
    `stage,step,seconds,tokens,loss,"'=cmd(""x""), evil","'=cmd(""x""), evil low","'=cmd(""x""), evil high"`,
  );
});

it('a CSV leaves out what is switched off, and the stages that are not shown', () => {
  const only = { ...view, hidden: new Set(['b']), stage: 1 };
  expect(csvOf(linesOf(series, only), curves)).toBe(
    'stage,step,seconds,tokens,loss\ngrpo,1,1,100,0.5\ngrpo,2,1.5,200,0.25\n',
  );
});

it('a logarithmic scale goes from power of ten to power of ten, around what is above zero', () => {
  expect(logDomainOf([0, -1, 0.02, 30])).toEqual({ low: 0.01, high: 100 });
  expect(logDomainOf([10])).toEqual({ low: 10, high: 100 });
  expect(logDomainOf([])).toEqual({ low: 0.1, high: 1 });
});
