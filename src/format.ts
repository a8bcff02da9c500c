/** Numbers for people, as the command line, the diagnostics, the report and the page write them. */

/** `61.2 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** `12,345`. */
export function thousands(value: number): string {
  return minus(String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ','));
}

/** `12s`, `1m 05s`, `2h 03m`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?';
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`;
  return `${Math.floor(whole / 3600)}h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')}m`;
}

/** With the minus sign of print, which is as wide as the plus. */
export function minus(text: string): string {
  return text.replace(/^-/, '−');
}
