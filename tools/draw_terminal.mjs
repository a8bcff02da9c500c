// Draws docs/terminal.svg, the moving picture of a terminal in the README: screens of a run of the main job, as the terminal printed
// them. Where less motion is asked for, it shows the last screen alone. To be run when the display changes, on a quiet machine:
// the screens say how long the run took.
//   node tools/draw_terminal.mjs [LOG]     LOG: what a terminal printed; recorded there by `script` of util-linux, unless it exists
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';

const OUT = 'docs/terminal.svg';
const MOST_BYTES = 60_000;
const COMMAND = 'npx --no-install rlvr-train --seed 1';
const [COLUMNS, ROWS] = [100, 32];
/** Screens of each stage, evenly spaced in what was printed of it. */
const SCREENS = { sft: 4, grpo: 7 };
/** Seconds that a screen is seen, and the last one. */
const MOMENT = 1.2;
const LAST = 6;
/** Pixels of a cell, of the bar above, and around. */
const CELL = { width: 8, height: 16 };
const BAR = 28;
const EDGE = 12;
const [GROUND, INK, DIM] = ['#0d1117', '#e6edf3', '#8d96a0'];
/** The colours of ANSI from black to white, light enough for that ground. */
const ANSI = ['#484f58', '#ff7b72', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', INK];
const END_OF_FRAME = '\u001b[?2026l';

const root = fileURLToPath(new URL('..', import.meta.url));
const log = process.argv[2] ?? join(tmpdir(), 'rlvr-train-terminal.log');
if (!existsSync(log)) record();
const printed = readFileSync(log, 'utf8');
const svg = moving(await screensOf(printed), /; exec (.+?)"/.exec(printed)[1]); // the first line that `script` writes
if (svg.length > MOST_BYTES) throw new Error(`${OUT} has ${svg.length} bytes; lower SCREENS`);
writeFileSync(`${root}${OUT}`, svg);
console.log(OUT, svg.length);

function record() {
  const size = `stty cols ${COLUMNS} rows ${ROWS}`;
  const environment = { ...process.env, TERM: 'xterm-256color', CI: '', NO_COLOR: '' };
  const { status } = spawnSync('script', ['-q', '-e', '-O', log, '-c', `${size}; exec ${COMMAND}`], {
    ...{ cwd: root, env: environment, stdio: ['ignore', 'ignore', 'inherit'] },
  });
  if (status !== 0) throw new Error(`${COMMAND} ended with ${status}; ${log} says why`);
}

/** @returns screens, each a list of rows, which are lists of cells */
async function screensOf(text) {
  const printed = text.replace(/^Script started.*\n/, '').replace(/\nScript done.*\n$/, '');
  const frames = printed.split(END_OF_FRAME);
  const chosen = new Set([1, frames.length - 2]); // the last frame only takes the charts away
  for (const [stage, count] of Object.entries(SCREENS)) {
    const own = frames.flatMap((frame, i) => (frame.includes(`${stage}\u001b[22m   step`) ? [i] : []));
    for (let i = 1; i <= count; i++) chosen.add(own[Math.ceil((i * own.length) / count) - 1]);
  }
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const found = [];
  for (const [i, frame] of frames.entries()) {
    await new Promise((done) => terminal.write(frame, done));
    if (chosen.has(i)) found.push(rowsOf(terminal.buffer.active));
  }
  return found;
}

function rowsOf(buffer) {
  return Array.from({ length: ROWS }, (_, row) => {
    const line = buffer.getLine(buffer.baseY + row);
    return Array.from({ length: COLUMNS }, (_, column) => {
      const cell = line.getCell(column);
      const colour = cell.isFgPalette() ? ANSI[cell.getFgColor() % 8] : cell.isDim() ? DIM : INK;
      const ground = cell.isBgPalette() ? ANSI[cell.getBgColor() % 8] : undefined;
      return { text: cell.getChars() || ' ', colour, bold: Boolean(cell.isBold()), ground };
    });
  });
}

/** Each screen lies on those before it from its moment on, with the rows that are not as they were. */
function moving(all, command) {
  const seconds = (all.length - 1) * MOMENT + LAST;
  const [width, height] = [COLUMNS * CELL.width + 2 * EDGE, ROWS * CELL.height + BAR + 2 * EDGE];
  const groups = all.map((rows, i) => `<g class="s${i}">${changed(rows, all[i - 1])}</g>`);
  const times = all.slice(1).map((_, i) => {
    const from = ((100 * (i + 1) * MOMENT) / seconds).toFixed(2);
    return `@keyframes s${i + 1}{0%{opacity:0}${from}%{opacity:1}}.s${i + 1}{animation:s${i + 1} ${seconds}s step-end infinite}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${title(all.at(-1))}</title>
<style>text{font:13.3px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:${INK}}.b{font-weight:700}${classes()}@media(prefers-reduced-motion:no-preference){${times.join('')}}</style>
<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>
<text x="${EDGE}" y="24"><tspan class="d">$</tspan> ${command}</text>
<g transform="translate(${EDGE} ${BAR + EDGE})">
${groups.join('\n')}
</g>
</svg>
`;
}

/** What a reader who sees no picture gets: the accuracies of the last screen. */
function title(rows) {
  const text = rows.map((row) => row.map((cell) => cell.text).join('')).join('\n');
  const rises = [...text.matchAll(/^(greedy|sampled) +([\d.]+ %) → ([\d.]+ %)/gm)];
  if (rises.length === 0) throw new Error(`the last screen says no accuracy:\n${text}`);
  const said = rises.map(([, name, before, after]) => `${name} from ${before} to ${after}`);
  return `A run in the terminal, from its first step to its summary: held-out accuracy ${said.join(', ')}`;
}

function classes() {
  return ANSI.slice(0, 7)
    .map((colour, i) => `.c${i}{fill:${colour}}`)
    .concat(`.d{fill:${DIM}}`)
    .join('');
}

function changed(rows, before) {
  const isNew = (row, y) => before === undefined || JSON.stringify(row) !== JSON.stringify(before[y]);
  return rows.flatMap((row, y) => (isNew(row, y) ? [drawn(row, y, before !== undefined)] : [])).join('');
}

/** A row on a ground that hides what was there. */
function drawn(row, y, hides) {
  const top = y * CELL.height;
  const grounds = runs(row, ({ ground }) => ground).filter(({ cells }) => cells[0].ground !== undefined);
  const fills = grounds.map(({ cells, from }) => filled(cells[0].ground, from, cells.length, top));
  const texts = styled(row).map(({ cells, from }) => run(cells, from, top));
  return [...(hides ? [filled(GROUND, 0, COLUMNS, top)] : []), ...fills, ...texts].join('');
}

function filled(colour, from, count, top) {
  const wide = count * CELL.width;
  return `<path fill="${colour}" d="M${from * CELL.width} ${top}h${wide}v${CELL.height}h-${wide}z"/>`;
}

/** The cells of a row that are drawn alike; a single blank between words belongs to them. */
function styled(row) {
  const isGap = (i) => row[i].text === ' ' && (row[i - 1]?.text ?? ' ') + (row[i + 1]?.text ?? ' ') !== '  ';
  const keys = [];
  for (const [i, { text, colour, bold }] of row.entries()) {
    if (text !== ' ') keys.push(`${colour}${bold}${bar(text) !== undefined}`);
    else keys.push(i > 0 && isGap(i) && keys[i - 1].endsWith('false') ? keys[i - 1] : '');
  }
  return runs(row, (_, i) => keys[i]).filter(({ from }) => keys[from] !== '');
}

/** Draws cells of one row. */
function run(cells, from, top) {
  const [{ colour, bold, text }] = cells;
  const names = [className(colour), bold ? 'b' : ''].filter(Boolean).join(' ');
  const attributes = names === '' ? '' : ` class="${names}"`;
  const x = from * CELL.width;
  if (bar(text) !== undefined) {
    const pieces = runs(cells, (cell) => cell.text).map((piece) => {
      const { up, high } = bar(piece.cells[0].text);
      const wide = piece.cells.length * CELL.width;
      return `M${x + piece.from * CELL.width} ${top + CELL.height - up}h${wide}v-${high}h-${wide}z`;
    });
    return `<path${attributes} d="${pieces.join('')}"${names === '' ? ` fill="${INK}"` : ''}/>`;
  }
  const words = cells
    .map((cell) => cell.text)
    .join('')
    .trimEnd();
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text${attributes} x="${x}" y="${top + 12}" textLength="${words.length * CELL.width}">${escaped}</text>`;
}

/** Blocks and rules, which fonts do not join: pixels above the row's bottom where they begin, and how high they are. */
function bar(text) {
  const eighths = text.codePointAt(0) - 0x2580;
  if (eighths >= 1 && eighths <= 8) return { up: 0, high: 2 * eighths };
  return { '━': { up: 7, high: 3 }, '─': { up: 8, high: 1 } }[text];
}

function className(colour) {
  if (colour === DIM) return 'd';
  return colour === INK ? '' : `c${ANSI.indexOf(colour)}`;
}

/** Neighbours of the same key, with the place of the first. */
function runs(cells, keyOf) {
  const found = [];
  for (const [i, cell] of cells.entries()) {
    const last = found.at(-1);
    if (last !== undefined && keyOf(last.cells[0], last.from) === keyOf(cell, i)) last.cells.push(cell);
    else found.push({ from: i, cells: [cell] });
  }
  return found;
}
