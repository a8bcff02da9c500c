// Plants known faults in the source, one at a time, and says which tests see them.
//
//   npm run mutants                       all sixty
//   npm run mutants -- --room grpo        those of one room
//   npm run mutants -- --only 3,17        by number
//   npm run mutants -- --check            only whether each still fits the source
//
// A fault is planted in a copy of the working tree. It is judged first by those tests of `npm test` that reach its file
// (`vitest related`), then, where none of these fails, by all that reach it (not those of the built command); a kernel in AssemblyScript or WGSL
// by conformance, which no import leads to. Run it on a built tree (`npm run build`). Exit status 1 where a fault is seen by
// none.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MADE } from './made_modules.mjs';
import { FAULTS } from './mutants/faults.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A fault that makes a test wait for ever has been seen, too. */
const MOST_MS = 15 * 60_000;
/** For one test: four times what it has otherwise, so that a busy machine sees nothing that is not there. */
const TEST_MS = 120_000;

const { values: given } = parseArgs({
  options: { room: { type: 'string' }, only: { type: 'string' }, check: { type: 'boolean', default: false } },
});

const numbered = FAULTS.map((fault, i) => ({ ...fault, number: i + 1 }));
const wanted = given.only?.split(',').map(Number);
const faults = numbered.filter(
  ({ room, number }) => (given.room === undefined || room === given.room) && (wanted?.includes(number) ?? true),
);
if (faults.length === 0) {
  const rooms = [...new Set(FAULTS.map(({ room }) => room))].join('; ');
  throw new Error(`mutants: nothing chosen; numbers go from 1 to ${FAULTS.length}, rooms are: ${rooms}`);
}

/** @returns why a fault cannot be planted; undefined where it can */
function misfit({ file, was }) {
  if (!existsSync(join(root, file))) return 'there is no such file';
  const times = readFileSync(join(root, file), 'utf8').split(was).length - 1;
  return times === 1 ? undefined : `its text is there ${times} times, not once`;
}

const misfits = faults.flatMap((fault) => {
  const reason = misfit(fault);
  return reason === undefined ? [] : [`  ${fault.number}  ${fault.file}: ${reason}\n      ${fault.was}`];
});
if (misfits.length > 0) {
  console.error(`Correct these in tools/mutants/faults.mjs:\n${misfits.join('\n')}`);
  process.exit(1);
}
if (given.check) {
  console.log(`${faults.length} faults fit the source.`);
  process.exit();
}

/** The working tree as it is, without what git ignores. */
function copyTree() {
  const copy = mkdtempSync(join(tmpdir(), 'rlvr-train-mutants-'));
  chmodSync(copy, 0o755); // tests of files that may not be read run the command as another user
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 2 ** 26,
  });
  const pages = readdirSync(join(root, 'docs/reference'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  // What git does not keep, and tests need all the same.
  for (const file of [...listed.toString().split('\0'), ...MADE, ...pages]) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
  for (const folder of ['node_modules', 'build', 'dist'])
    symlinkSync(join(root, folder), join(copy, folder), 'junction');
  return copy;
}

const copy = copyTree();
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/** @returns the first file that failed, and its first test that did; undefined where none failed */
function judge(words, environment = {}) {
  const report = join(copy, 'mutant_report.json');
  rmSync(report, { force: true });
  const program = join(copy, 'node_modules/vitest/vitest.mjs');
  const reporting = ['--testTimeout', String(TEST_MS), '--bail', '1', '--reporter=json', `--outputFile=${report}`];
  const projects = ['core', 'workspaces', 'alone'].flatMap((name) => ['--project', name]);
  const { status, signal, stderr } = spawnSync(process.execPath, [program, ...words, ...projects, ...reporting], {
    cwd: copy,
    env: { ...process.env, ...environment },
    timeout: MOST_MS,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return undefined;
  if (signal !== null) return { file: '', title: 'the tests do not end' };
  if (!existsSync(report)) throw new Error(`vitest ${words.join(' ')} ended with ${status}:\n${stderr}`);
  const failed = JSON.parse(readFileSync(report, 'utf8')).testResults.find((file) => file.status === 'failed');
  if (failed === undefined)
    throw new Error(`vitest ${words.join(' ')} ended with ${status}, no test failed:\n${stderr}`);
  const title =
    failed.assertionResults.find((one) => one.status === 'failed')?.fullName ?? failed.message.split('\n')[0];
  return { file: relative(copy, failed.name), title };
}

/** The rounds of tests for a file: quick ones, then, last, all. */
function rounds(file) {
  if (file.includes('/wasm/assembly/')) {
    const built = spawnSync('npm', ['run', '--silent', 'build:wasm'], { cwd: copy, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`the fault in ${file} does not compile:\n${built.stdout}${built.stderr}`);
    const all = ['test/conformance', 'test/kernels', 'test/model', 'test/pinned'];
    return [
      ['run', '--mode', 'quick', 'test/conformance'],
      ['run', '--mode', 'quick', ...all.slice(1)],
      ['run', ...all],
    ].map((words) => () => judge(words));
  }
  if (file.includes('/webgpu/')) {
    const environment = { RLVR_TEST_BACKENDS: 'webgpu:lavapipe' };
    const related = () => judge(['related', '--run', '--mode', 'quick', file]);
    return [related, () => judge(['run', '--project', 'conformance'], environment)];
  }
  return [['--mode', 'quick'], []].map((mode) => () => judge(['related', '--run', ...mode, file]));
}

const SEEN = ['npm test', 'the rest', 'nothing'];
const start = performance.now();
const results = [];
for (const fault of faults) {
  const place = join(copy, fault.file);
  const sound = readFileSync(place, 'utf8');
  const begun = performance.now();
  let seen = SEEN.length - 1;
  let failed;
  try {
    writeFileSync(
      place,
      sound.replace(fault.was, () => fault.is),
    );
    const all = rounds(fault.file);
    for (const [i, round] of all.entries()) {
      failed = round();
      if (failed === undefined) continue;
      seen = i === all.length - 1 ? 1 : 0;
      break;
    }
  } finally {
    writeFileSync(place, sound);
    if (fault.file.includes('/wasm/assembly/')) copyFileSync(join(root, MADE[0]), join(copy, MADE[0]));
  }
  // A test that fails here anyway has seen nothing.
  const sober = failed === undefined || failed.file === '' ? undefined : judge(['run', failed.file]);
  if (sober !== undefined) {
    const which = `${sober.file}, "${sober.title}",`;
    throw new Error(`${which} fails without a fault, too: mend it, or build what it reads (npm run build)`);
  }
  results.push({ ...fault, seen });
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.log(
    `${String(fault.number).padStart(2)}  ${SEEN[seen].padEnd(8)} ${String(seconds).padStart(4)} s  ${fault.what}  ${failed?.file ?? ''} ${failed?.title ?? ''}`,
  );
}

const minutes = ((performance.now() - start) / 60_000).toFixed(0);
console.log(`\n| room | faults | ${SEEN.map((name) => `seen by ${name}`).join(' | ')} |\n|---|---|---|---|---|`);
for (const room of [...new Set(results.map((result) => result.room)), 'all']) {
  const own = results.filter((result) => room === 'all' || result.room === room);
  const counts = SEEN.map((_, i) => own.filter(({ seen }) => seen === i).length);
  console.log(`| ${room} | ${own.length} | ${counts.join(' | ')} |`);
}
console.log(`\n${minutes} minutes.`);
process.exitCode = results.some(({ seen }) => seen === SEEN.length - 1) ? 1 : 0;
