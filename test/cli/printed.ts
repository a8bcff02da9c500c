/** What the command prints, without a process of its own. */
import { vi } from 'vitest';

/** What an action prints to standard output. */
export async function printed(action: () => unknown): Promise<string> {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  await action();
  vi.restoreAllMocks();
  return lines.join('');
}
