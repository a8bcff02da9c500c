// Draws the learning curve of a run as an SVG: held-out accuracy, greedy and sampled, against training time.
//
//   node tools/learning_curve.mjs RUN_DIRECTORY OUT.svg [TITLE]
//   node tools/learning_curve.mjs runs/smollm2 docs/smollm2.svg
//
// Reads metrics.jsonl of the run directory. Time is the sum of `step_time`: seconds spent on training steps, without
// evaluation. Bands are the 95 % intervals that each evaluation reports; the shaded stretch is the supervised stage.
// Colours are fixed on a white ground, so that the picture reads the same on a dark page. TITLE: default is the
// directory's name.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const WIDTH = 800;
const HEIGHT = 360;
const PLOT = { left: 60, right: 656, top: 62, bottom: 308 };
const FONT = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"';
const INK = '#1f2328';
const FAINT = '#59636e';
const GRID = '#e4e7eb';
const SERIES = [
  { name: 'sampled', color: '#0b62d6', of: ({ sampled }) => sampled },
  { name: 'greedy', color: '#b35900', of: ({ greedy }) => greedy },
];

const [directory, out, title = basename(resolve(directory ?? '.'))] = process.argv.slice(2);
if (directory === undefined || out === undefined) {
  process.stderr.write('usage: node tools/learning_curve.mjs RUN_DIRECTORY OUT.svg [TITLE]\n');
  process.exit(2);
}
const { evaluations, phases, seconds } = readRun(readFileSync(join(directory, 'metrics.jsonl'), 'utf8'));
if (evaluations.length === 0) {
  process.stderr.write(`${directory}: metrics.jsonl holds no evaluation yet.\n`);
  process.exit(1);
}
const last = evaluations.at(-1);
mkdirSync(dirname(resolve(out)), { recursive: true });
writeFileSync(out, draw());
process.stdout.write(
  `${out}: ${evaluations.length} evaluations over ${seconds.toFixed(0)} s of training; ` +
    `last: greedy ${percent(last.greedy.mean)}, sampled ${percent(last.sampled.mean)}\n`,
);

/** Places every evaluation in time. The line of an evaluation precedes that of the step that it follows. */
function readRun(text) {
  const evaluations = [];
  const phases = [];
  let waiting = [];
  let seconds = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const record = JSON.parse(line);
    if (record.evaluation !== undefined) {
      const evaluation = {
        seconds,
        greedy: estimate(record, 'eval_accuracy'),
        sampled: estimate(record, meanKey(record)),
      };
      evaluations.push(evaluation);
      // One that was asked for comes after its step's line, and its time is known.
      if (record.evaluation === 'periodic' || record.evaluation === 'final') waiting.push(evaluation);
    } else if (typeof record.step_time === 'number') {
      if (phases.at(-1)?.stage !== record.stage) phases.push({ stage: record.stage, begin: seconds, end: seconds });
      seconds += record.step_time;
      phases.at(-1).end = seconds;
      for (const evaluation of waiting) evaluation.seconds = seconds;
      waiting = [];
    }
  }
  return { evaluations, phases, seconds };
}

/** `eval_mean@4`, whatever the number of samples. */
function meanKey(record) {
  return Object.keys(record).find((key) => /^eval_mean@\d+$/.test(key)) ?? 'eval_accuracy';
}

function estimate(record, key) {
  const mean = record[key];
  return { mean, low: record[`${key}_low`] ?? mean, high: record[`${key}_high`] ?? mean };
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

function escaped(text) {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return String(text).replace(/[&<>"']/g, (character) => entities[character]);
}

function x(time) {
  return round(PLOT.left + ((PLOT.right - PLOT.left) * time) / Math.max(seconds, 1e-9));
}

function y(share) {
  return round(PLOT.bottom - (PLOT.bottom - PLOT.top) * share);
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function text(at, content, { size = 12, color = FAINT, anchor = 'start', weight = 'normal' } = {}) {
  return `<text x="${at[0]}" y="${at[1]}" ${FONT} font-size="${size}" font-weight="${weight}" fill="${color}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

/** About six round numbers from 0 to `most`. */
function ticks(most) {
  const rough = Math.max(most, 1e-9) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

function draw() {
  const sft = phases.filter(({ stage }) => stage === 'sft');
  const alt = SERIES.map(({ name, of }) => `${name} ${percent(of(evaluations[0]).mean)} to ${percent(of(last).mean)}`);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    `<title>${escaped(`${title}: held-out accuracy, ${alt.join(', ')}, in ${seconds.toFixed(0)} s of training`)}</title>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8" fill="#ffffff" stroke="${GRID}"/>`,
    text([PLOT.left, 30], `${title}: accuracy on held-out problems`, { size: 16, color: INK, weight: '600' }),
    ...sft.map(
      ({ begin, end }) =>
        `<rect x="${x(begin)}" y="${PLOT.top}" width="${round(x(end) - x(begin))}" height="${PLOT.bottom - PLOT.top}" fill="#f1f3f5"/>`,
    ),
    ...axes(),
    ...phases.map(({ stage, begin }) => text([x(begin) + 6, PLOT.top - 6], phaseName(stage), { size: 11 })),
    ...SERIES.flatMap(series),
    ...labels(),
    '</svg>',
  ].join('\n')}\n`;
}

function phaseName(stage) {
  return { sft: 'supervised warm start', grpo: 'reinforcement (GRPO)' }[stage] ?? stage;
}

function axes() {
  const shares = [0, 0.2, 0.4, 0.6, 0.8, 1];
  return [
    ...shares.map(
      (share) =>
        `<line x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(share)}" y2="${y(share)}" stroke="${share === 0 ? FAINT : GRID}"/>`,
    ),
    ...shares.map((share) => text([PLOT.left - 8, y(share) + 4], `${100 * share} %`, { anchor: 'end' })),
    ...ticks(seconds).map((tick) => text([x(tick), PLOT.bottom + 18], tick, { anchor: 'middle' })),
    text([(PLOT.left + PLOT.right) / 2, PLOT.bottom + 38], 'seconds of training, without evaluation', {
      anchor: 'middle',
    }),
  ];
}

function series({ color, of }) {
  const point = (evaluation, share) => `${x(evaluation.seconds)},${y(share)}`;
  const upper = evaluations.map((evaluation) => point(evaluation, of(evaluation).high));
  const lower = evaluations.map((evaluation) => point(evaluation, of(evaluation).low)).reverse();
  const middle = evaluations.map((evaluation) => point(evaluation, of(evaluation).mean));
  return [
    `<polygon points="${[...upper, ...lower].join(' ')}" fill="${color}" fill-opacity="0.15"/>`,
    `<polyline points="${middle.join(' ')}" fill="none" stroke="${color}" stroke-width="2" stroke-linejoin="round"/>`,
    ...middle.map((place) => {
      const [cx, cy] = place.split(',');
      return `<circle cx="${cx}" cy="${cy}" r="2.5" fill="${color}"/>`;
    }),
  ];
}

/** The name and last value of each series at the end of its line, moved apart where they would touch. */
function labels() {
  const LINE = 18;
  const placed = SERIES.map(({ name, color, of }) => ({
    name,
    color,
    mean: of(last).mean,
    at: y(of(last).mean) + 4,
  }));
  placed.sort((a, b) => a.at - b.at);
  const [upper, lower] = placed;
  const overlap = Math.max(0, LINE - (lower.at - upper.at)) / 2;
  upper.at -= overlap;
  lower.at += overlap;
  return placed.map(({ name, color, mean, at }) =>
    text([PLOT.right + 10, round(at)], `${name} ${percent(mean)}`, { size: 13, color, weight: '600' }),
  );
}
