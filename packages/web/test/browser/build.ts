/**
 * Browser tests visit what is published: the built package, and the page as `npm run build` makes it, made now unless both
 * are newer than their sources.
 */
import { execFileSync } from 'node:child_process';

export default function build(): void {
  execFileSync(process.execPath, ['tools/prepare.mjs'], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' }, // vitest's own would make a page for development
  });
}
