/** Files of a user, as texts: the reward and the task that CONTRIBUTING.md writes. */
import { readFileSync } from 'node:fs';

const PAGE = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');

/** The TypeScript block whose first line begins so, without its indentation in the list. */
function blockOf(firstLine: string): string {
  const block = [...PAGE.matchAll(/^( *)```ts\n([\s\S]*?)```/gm)]
    .map(([, indentation, text]) => (text ?? '').replaceAll(new RegExp(`^${indentation}`, 'gm'), ''))
    .find((text) => text.startsWith(firstLine));
  if (block === undefined) throw new Error(`CONTRIBUTING.md shows no block that begins with ${firstLine}`);
  return block;
}

/** rewards/brief.ts. */
export const BRIEF = blockOf('// rewards/brief.ts');
/** tasks/addition.ts. */
export const ADDITION = blockOf('/** Addition:');
/** tasks/product.ts. */
export const PRODUCT = blockOf('// tasks/product.ts');
