/** How much work something is, on a machine that does other work too. */

/** Milliseconds that this process has computed for so far, with all its threads: others of the machine do not count. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
