/** A panel as a file: its points as CSV, its picture as PNG. Nothing leaves the page but into a file of the visitor's. */
import type uPlot from 'uplot';
import { element } from '../dom.ts';
import type { Curves } from '../track.ts';
import type { Line } from './chart_lines.ts';
import { paletteColor } from './palette.ts';

/** A row per point: stage, step, seconds, tokens, then each series as logged, with the ends of its band. */
export function csvOf(lines: readonly Line[], curves: Curves): string {
  const heads = lines.flatMap(({ series: { label, low } }) =>
    low === undefined ? [label] : [label, `${label} low`, `${label} high`],
  );
  const width = heads.length;
  const rows = new Map<string, { readonly place: readonly (string | number)[]; readonly cells: (number | '')[] }>();
  let column = 0;
  for (const { series, kept, steps, stages, values, low, high } of lines) {
    for (const [i, at] of kept.entries()) {
      const [stage, step] = [stages[i] ?? 0, steps[i] ?? 0];
      const place = [
        curves.data.stages[stage]?.stage ?? '',
        step - (curves.offsets[stage] ?? 0),
        series.track.time[at] ?? 0,
        series.track.tokens[at] ?? 0,
      ];
      const key = `${stage} ${step}`;
      const row = rows.get(key) ?? { place, cells: new Array(width).fill('') };
      row.cells[column] = values[i] ?? '';
      if (series.low !== undefined) [row.cells[column + 1], row.cells[column + 2]] = [low[i] ?? '', high[i] ?? ''];
      rows.set(key, row);
    }
    column += series.low === undefined ? 1 : 3;
  }
  const byPlace = ([a]: [string, unknown], [b]: [string, unknown]): number => {
    const [[stageA, stepA], [stageB, stepB]] = [a.split(' ').map(Number), b.split(' ').map(Number)];
    return (stageA ?? 0) - (stageB ?? 0) || (stepA ?? 0) - (stepB ?? 0);
  };
  const body = [...rows].sort(byPlace).map(([, { place, cells }]) => [...place, ...cells]);
  return [['stage', 'step', 'seconds', 'tokens', ...heads], ...body]
    .map((row) => `${row.map(csvCell).join(',')}\n`)
    .join('');
}

/** A text that a spreadsheet would take for a formula begins with a quote mark there. */
function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+@-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function saveCsv(title: string, lines: readonly Line[], curves: Curves): void {
  save(new Blob([csvOf(lines, curves)], { type: 'text/csv' }), `${fileName(title)}.csv`);
}

/** The plot as it is on the screen, with its title and what its colours mean. */
export function savePng(title: string, lines: readonly Line[], { ctx: { canvas: drawn } }: uPlot): void {
  const ratio = devicePixelRatio;
  const head = 44 * ratio;
  const canvas = element('canvas', { width: drawn.width, height: drawn.height + head });
  const ctx = canvas.getContext('2d');
  if (ctx === null) return;
  ctx.fillStyle = paletteColor('--surface');
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.drawImage(drawn, 0, head);
  ctx.textBaseline = 'middle';
  ctx.fillStyle = paletteColor('--ink');
  ctx.font = `600 ${14 * ratio}px system-ui, sans-serif`;
  ctx.fillText(title, 12 * ratio, 14 * ratio);
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  let x = 12 * ratio;
  for (const { series, color } of lines) {
    ctx.fillStyle = paletteColor(color);
    ctx.fillRect(x, 30 * ratio, 9 * ratio, 9 * ratio);
    ctx.fillStyle = paletteColor('--ink');
    ctx.fillText(series.label, x + 14 * ratio, 35 * ratio);
    x += ctx.measureText(series.label).width + 30 * ratio;
  }
  canvas.toBlob((blob) => {
    if (blob !== null) save(blob, `${fileName(title)}.png`);
  });
}

function fileName(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
