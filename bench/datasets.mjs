/**
 * How much memory and time do a million rows take?
 *
 *   npm run bench -- datasets [--rows 1000000] [--json FILE]
 *
 * Writes the same rows as JSON Lines, gzip and Parquet, and opens each as a task in a process of its own: the peak of its
 * resident set counts everything, Node itself included. Then ten thousand problems are drawn.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { diskFiles } from '../build/packages/plugins/data/datasets/disk_files.node.js';
import { openDataset } from '../build/packages/zoo/data/datasets/dataset.js';
import { ALL_ROWS } from '../build/packages/zoo/data/datasets/parts.js';
import { describeMachine, machineLine, readFlags, writeJson } from './command.mjs';

const DRAWS = 10_000;

/** A question of the length of a short word problem. */
const rowOf = (i) => ({
  question: `A shop sells ${i} apples on Monday and ${(i * 7) % 1009} apples on Tuesday. How many is that?`,
  answer: i + ((i * 7) % 1009),
});

function* linesOf(count) {
  for (let i = 0; i < count; i++) yield `${JSON.stringify(rowOf(i))}\n`;
}

async function writeFiles(folder, count) {
  const file = (name) => join(folder, name);
  await pipeline(Readable.from(linesOf(count)), createWriteStream(file('rows.jsonl')));
  await pipeline(createReadStream(file('rows.jsonl')), createGzip(), createWriteStream(file('rows.jsonl.gz')));
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const rows = Array.from({ length: count }, (_, i) => rowOf(i));
  const columnData = ['question', 'answer'].map((name) => ({ name, data: rows.map((row) => row[name]) }));
  writeFileSync(file('rows.parquet'), new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 50_000 })));
  return ['rows.jsonl', 'rows.jsonl.gz', 'rows.parquet'].map(file);
}

/** In a process of its own. */
async function measureFile(path) {
  const start = performance.now();
  const task = await openDataset(
    { train: path, prompt: 'question', verify: 'number' },
    { files: diskFiles((name) => name), parts: ALL_ROWS },
  );
  const openSeconds = (performance.now() - start) / 1000;
  const first = performance.now();
  for (let i = 0; i < DRAWS; i++) task.trainItem(1, i * 97);
  const drawsPerSecond = DRAWS / ((performance.now() - first) / 1000);
  const peakMb = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(JSON.stringify({ trainRows: task.trainProblems(), openSeconds, drawsPerSecond, peakMb }));
}

const [flag, path] = process.argv.slice(3);
if (flag === '--measure') await measureFile(path);
else {
  const { rows: count, json } = readFlags({ further: { rows: { type: 'string', default: '1000000' } } });
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-bench-datasets-'));
  try {
    const machine = describeMachine();
    process.stdout.write(`${machineLine(machine)}\n${count} rows\n`);
    const results = [];
    for (const file of await writeFiles(folder, Number(count))) {
      const run = fileURLToPath(new URL('run.mjs', import.meta.url));
      const output = execFileSync(process.execPath, [run, 'datasets', '--measure', file], { encoding: 'utf8' });
      const result = { file: file.slice(folder.length + 1), fileMb: statSync(file).size / 1e6, ...JSON.parse(output) };
      results.push(result);
      const { openSeconds, drawsPerSecond, peakMb, fileMb } = result;
      process.stdout.write(
        `${result.file.padEnd(14)} ${fileMb.toFixed(0)} MB, opened in ${openSeconds.toFixed(1)} s, peak ${peakMb.toFixed(0)} MB, ` +
          `${Math.round(drawsPerSecond)} problems/s\n`,
      );
    }
    if (json !== undefined) writeJson(json, 'datasets', { machine, rows: Number(count), results });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
