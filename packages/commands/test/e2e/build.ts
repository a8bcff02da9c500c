/** End-to-end tests run what a user runs: the built JavaScript, made now unless it is newer than its sources. */
import { execFileSync } from 'node:child_process';

export default function build(): void {
  execFileSync(process.execPath, ['tools/prepare.mjs', 'js'], { stdio: 'inherit' });
}
