/** A profile as one table. */
import { table } from '../command.mjs';

/** Rows that take less of a step are one row. */
const LEAST_SHARE = 0.004;

export function profileTable({ rows, stepMs, jobs, threads }, count) {
  const large = rows.filter((row) => busy(row) >= LEAST_SHARE * stepMs);
  const small = rows.filter((row) => !large.includes(row));
  const lines = [...large.map((row) => line(row, stepMs)), ...(small.length > 0 ? [restOf(small, stepMs, count)] : [])];
  const each = (key) => threads.map((thread) => thread[key].toFixed(1));
  const columns = Array.from({ length: count }, (_, i) => `ms, thread ${i + 1}`);
  const [work, wait, host] = [each('workMs'), each('waitMs'), each('hostMs')];
  const percent = (list) => list.map((ms) => `${((100 * Number(ms)) / stepMs).toFixed(0)} %`).join(', ');
  return [
    table(
      ['program: kernel', 'calls', 'of step', ...columns, 'waits', 'GFLOP/s', 'roof, ms', 'of roof', 'bound by'],
      lines,
    ),
    '',
    `at work: ${work.join(', ')} ms (${percent(work)}); at barriers: ${wait.join(', ')} (${percent(wait)}); between the ${jobs} jobs: ${host.join(', ')} (${percent(host)})`,
  ].join('\n');
}

/** Milliseconds in which some thread works on it: those of the busiest. */
const busy = ({ workMs }) => Math.max(...workMs);

function line({ program, kernel, calls, workMs, waitMs, flop, roofMs, bound }, stepMs) {
  // Both threads together take as long as the busiest works and waits.
  const spent = Math.max(...workMs.map((ms, i) => ms + waitMs[i]));
  return [
    `${program}: ${kernel}`,
    calls,
    `${((100 * spent) / stepMs).toFixed(1)} %`,
    ...workMs.map((ms) => ms.toFixed(2)),
    waitMs.map((ms) => ms.toFixed(2)).join(' '),
    flop > 0 ? (flop / spent / 1e6).toFixed(1) : '',
    roofMs.toFixed(2),
    `${((100 * roofMs) / spent).toFixed(0)} %`,
    bound,
  ];
}

function restOf(rows, stepMs, count) {
  const sums = (key) => Array.from({ length: count }, (_, i) => rows.reduce((sum, row) => sum + row[key][i], 0));
  const [workMs, waitMs] = [sums('workMs'), sums('waitMs')];
  const spent = Math.max(...workMs.map((ms, i) => ms + waitMs[i]));
  return [
    `${rows.length} more`,
    rows.reduce((sum, { calls }) => sum + calls, 0),
    `${((100 * spent) / stepMs).toFixed(1)} %`,
    ...workMs.map((ms) => ms.toFixed(2)),
    waitMs.map((ms) => ms.toFixed(2)).join(' '),
    '',
    rows.reduce((sum, { roofMs }) => sum + roofMs, 0).toFixed(2),
    '',
    '',
  ];
}
