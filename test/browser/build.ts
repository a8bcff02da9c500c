/** Browser tests visit what is published: the built package, and the page as `npm run build:web` makes it. */
import { execFileSync } from 'node:child_process';

export default function build(): void {
  execFileSync('npm', ['run', '--silent', 'build:web'], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' }, // vitest's own would make a page for development
  });
}
