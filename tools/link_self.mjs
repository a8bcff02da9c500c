// Makes `npx rlvr-train` run this checkout: npx looks in node_modules/.bin, where npm links dependencies but not the
// package itself. Part of `prepare`; an installed package gets its link from npm.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'node_modules', '.bin');
const program = join(root, 'dist', 'cli', 'main.js');

mkdirSync(folder, { recursive: true });
chmodSync(program, 0o755);
if (process.platform === 'win32') {
  writeFileSync(join(folder, 'rlvr-train.cmd'), `@node "${program}" %*\r\n`);
} else {
  const link = join(folder, 'rlvr-train');
  rmSync(link, { force: true });
  symlinkSync('../../dist/cli/main.js', link);
}
