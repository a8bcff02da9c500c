/** Code that a page shows, for tests that run it as it stands there. */
import { readFileSync } from 'node:fs';

/** The block of a page whose text begins so, without its indentation in a list. @param page  from the root of the repository */
export function blockOf(page: string, firstLine: string): string {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^( *)```\w+\n([\s\S]*?)^ *```/gm)];
  const found = blocks
    .map(([, indentation = '', own = '']) => own.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''))
    .find((own) => own.startsWith(firstLine));
  if (found === undefined) throw new Error(`${page} shows no block that begins with ${firstLine}`);
  return found;
}
