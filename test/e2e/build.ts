/** End-to-end tests run what a user runs: the built JavaScript. */
import { execFileSync } from 'node:child_process';

export default function build(): void {
  execFileSync('npm', ['run', '--silent', 'build:js'], { stdio: 'inherit' });
}
