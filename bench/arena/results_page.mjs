/** results.html: the arena as one page that loads nothing: all seeds as dots, differences with intervals, curves. */
import { JUDGED, meanOf } from './figures.mjs';
import { isApart, share, signed, wordFor } from './results_text.mjs';

const WIDTH = 420;
const LINE = 18;
const LEFT = 10;
const CURVE = { width: 340, height: 180, left: 34, bottom: 24 };

export function resultsPage(found, { blocks, count }) {
  const own = found.filter(({ runs }) => runs.length > 0);
  const tasks = [...new Set(own.map(({ row }) => row.task))];
  const parts = tasks.flatMap((task) => {
    const ofTask = own.filter(({ row }) => row.task === task);
    return [
      `<h2>${text(task)}</h2>`,
      ...[...new Set(ofTask.map(({ row }) => row.block))].map((block) =>
        blockPart(
          block,
          blocks[block],
          ofTask.filter(({ row }) => row.block === block),
        ),
      ),
    ];
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>The arena · rlvr-train</title>
<style>
:root { color-scheme: light dark; --ink: light-dark(#1b1b1f, #e8e8ec); --quiet: light-dark(#6b6b76, #9a9aa6); --better: light-dark(#0a7d38, #5cd68a); --worse: light-dark(#b3261e, #ff8a80); }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { padding: 0 .5rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td:first-child, th:first-child { text-align: left; } .quiet, th { color: var(--quiet); font-weight: normal; }
.table { overflow-x: auto; } svg { display: block; } svg text { fill: var(--quiet); font-size: 11px; }
.axis { stroke: var(--quiet); stroke-width: .5; } .better { color: var(--better); } .worse { color: var(--worse); } .unsure { color: var(--quiet); }
.curves { display: flex; flex-wrap: wrap; gap: 1rem; } details { margin: .5rem 0; }
</style></head><body>
<h1>The arena</h1>
<p>What each method does for the same task, from the same start, with the same number of sampled tokens. ${own.length} of ${found.length} rows have runs, of ${count} seeds each where all are done. Dots are the seeds; bars are 95 % intervals of the difference in ${JUDGED} to the baseline at its best rate.</p>
${parts.join('\n')}
</body></html>
`;
}

function blockPart(name, block, rows) {
  const spans = rows.flatMap(({ figures, differences }) => [
    ...figures[JUDGED],
    ...(differences === undefined ? [] : [differences[JUDGED].low, differences[JUDGED].high]),
  ]);
  const [dots, bars] = [
    scale(rows.flatMap(({ figures }) => figures[JUDGED])),
    scale([
      0,
      ...rows.flatMap(({ differences }) => (differences ? [differences[JUDGED].low, differences[JUDGED].high] : [])),
    ]),
  ];
  if (spans.length === 0) return '';
  const lines = rows.map(({ row, figures, differences, corrected }) => {
    const judged = differences?.[JUDGED];
    const kind = judged === undefined || !isApart(judged) ? 'unsure' : wordFor(judged);
    return `<tr class="${kind}"><td>${text(row.id)}</td><td>${share(meanOf(figures[JUDGED]))}</td><td>${dotsPart(figures[JUDGED], dots)}</td><td>${judged === undefined ? 'baseline' : signed(judged.mean)}</td><td>${judged === undefined ? '' : barPart(judged, bars)}</td><td>${corrected === undefined ? '' : corrected[JUDGED].toFixed(3)}</td></tr>`;
  });
  return `<h3>${text(name)}</h3><p class="quiet">${text(block.does)}</p>
<div class="table"><table><tr><th>row</th><th>${JUDGED}</th><th>seeds, ${share(dots.low)} to ${share(dots.high)} %</th><th>Δ</th><th>${signed(bars.low)} to ${signed(bars.high)}</th><th>Holm</th></tr>
${lines.join('\n')}</table></div>
<details><summary>Solved in training, over tokens and over seconds</summary><div class="curves">
${rows.map((row) => curvePart(row, rows[0])).join('\n')}
</div></details>`;
}

/** Where a value lies between the ends of all. */
function scale(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = 0.02 * (high - low) || 0.01;
  const span = high - low + 2 * room;
  return { low, high, at: (value) => LEFT + ((WIDTH - 2 * LEFT) / 2) * ((value - low + room) / span) };
}

function dotsPart(values, { at }) {
  const dots = values.map(
    (value) => `<circle cx="${at(value).toFixed(1)}" cy="9" r="3.5" fill="currentColor" fill-opacity=".6"/>`,
  );
  return svg(WIDTH / 2, LINE, dots.join(''));
}

function barPart({ mean, low, high }, { at }) {
  const [from, to, middle, zero] = [low, high, mean, 0].map((value) => at(value).toFixed(1));
  return svg(
    WIDTH / 2,
    LINE,
    `<line class="axis" x1="${zero}" x2="${zero}" y1="0" y2="${LINE}"/><line x1="${from}" x2="${to}" y1="9" y2="9" stroke="currentColor" stroke-width="2"/><circle cx="${middle}" cy="9" r="3.5" fill="currentColor"/>`,
  );
}

/** A row's seeds, with the first row's first seed in the background. */
function curvePart({ row, runs }, first) {
  const all = [...runs, ...first.runs.slice(0, 1)].map(({ record }) => record.curve);
  const most = Math.max(...all.flat().map(([, solved]) => solved), 0.01);
  const panel = (column, unit, offset) => {
    const last = Math.max(...all.flat().map((point) => point[column]), 1);
    const x = (value) => offset + CURVE.left + (CURVE.width / 2 - CURVE.left) * (value / last);
    const y = (value) => (CURVE.height - CURVE.bottom) * (1 - value / most) + 4;
    const lineOf = ({ record }, color, opacity) =>
      `<polyline fill="none" stroke="${color}" stroke-opacity="${opacity}" points="${record.curve.map((point) => `${x(point[column]).toFixed(1)},${y(point[1]).toFixed(1)}`).join(' ')}"/>`;
    return [
      `<line class="axis" x1="${x(0)}" x2="${x(last)}" y1="${y(0)}" y2="${y(0)}"/>`,
      `<text x="${x(last)}" y="${CURVE.height - 6}" text-anchor="end">${unit(last)}</text>`,
      ...first.runs.slice(0, 1).map((run) => lineOf(run, 'var(--quiet)', 0.6)),
      ...runs.map((run) => lineOf(run, 'var(--better)', 0.9)),
    ].join('');
  };
  const tokens = panel(0, (value) => `${Math.round(value / 1000)}k tokens`, 0);
  const seconds = panel(2, (value) => `${Math.round(value)} s`, CURVE.width / 2);
  const axis = `<text x="0" y="12">${share(most)} %</text>`;
  return `<figure><figcaption>${text(row.id)}</figcaption>${svg(CURVE.width, CURVE.height, axis + tokens + seconds, `${text(row.id)}: share solved in training`)}</figure>`;
}

/** @param title  what a picture says by itself; one beside its own numbers needs none */
function svg(width, height, content, title) {
  const named = title === undefined ? 'aria-hidden="true"' : 'role="img"';
  const words = title === undefined ? '' : `<title>${title}</title>`;
  return `<svg ${named} width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${words}${content}</svg>`;
}

function text(value) {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
