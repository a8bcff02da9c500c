/** What the system says of a page's process and of the machine meanwhile (Linux). */
import { readFileSync } from 'node:fs';

/** Ticks of /proc/stat that a hypervisor gave to others: the eighth column. */
const STEAL = 7;

/** The browser's largest renderer: the page with its workers. @returns its number, and its resident set in bytes */
export async function pageProcess(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const renderers = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => ({ id, resident: residentBytes(id) }))
    .sort((a, b) => b.resident - a.resident);
  if (renderers.length === 0) throw new Error('the browser has no page open');
  return renderers[0];
}

function residentBytes(process) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}

/**
 * Starts a clock of what is kept from a process's main thread.
 *
 * @returns gives so far: `withheld`, the share of all cores that the hypervisor gave to others, and `waited`, the share
 *   of the time that the thread was ready and had no core
 */
export function clockWaiting(process) {
  const [ticks, delay, begun] = [processorTicks(), runDelayMs(process), performance.now()];
  return () => {
    const passed = processorTicks().map((tick, i) => tick - ticks[i]);
    return {
      withheld: passed[STEAL] / passed.reduce((a, b) => a + b, 0),
      waited: (runDelayMs(process) - delay) / (performance.now() - begun),
    };
  };
}

function processorTicks() {
  const [all] = readFileSync('/proc/stat', 'utf8').split('\n');
  return all
    .split(/\s+/)
    .slice(1, STEAL + 2)
    .map(Number);
}

/** A process's first thread is the main one, and has its number. */
function runDelayMs(process) {
  return Number(readFileSync(`/proc/${process}/task/${process}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}
