/**
 * docs/tutorial.md, from an empty folder to a learned task: its files as they stand there, its commands in their order. Before a
 * release its training is as long as there; in CI it is cut where the policy has begun to learn.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { TIER } from '../../../../test/support/budget.ts';
import { commandLine, temporaryFolder } from './command_line.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8');
const [STEPS, LEARNED] = TIER === 'release' ? ['max_steps: 500', 0.7] : ['max_steps: 200', 0.1];
const PREFIX = 'npx --no-install rlvr-train ';

interface Block {
  readonly language: string;
  readonly text: string;
}

const BLOCKS: readonly Block[] = [...PAGE.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(
  ([, language = '', text = '']) => ({ language, text }),
);

/** The words of a line, as a shell takes them apart. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, plain]) => single ?? double ?? plain);
}

it('leads from an empty folder to a learned task', async () => {
  const folder = temporaryFolder();
  const inFolder = (path: string): string => join(folder.path, path);
  const said = new Map<string, string>();
  try {
    for (const { language, text } of BLOCKS) {
      const [, file] = /^(?:\/\/|#) ([\w/]+\.(?:ts|yaml))/.exec(text) ?? [];
      if (file !== undefined) {
        mkdirSync(dirname(inFolder(file)), { recursive: true });
        writeFileSync(inFolder(file), text.replace('max_steps: 500', STEPS));
      } else if (text.includes('npm install')) {
        mkdirSync(inFolder('node_modules'));
        symlinkSync(ROOT, inFolder('node_modules/rlvr-train')); // as npm does with a folder
        writeFileSync(inFolder('package.json'), '{"type": "module"}');
      } else {
        expect(language).toBe('sh');
        for (const line of text.trim().split('\n')) {
          expect(line.startsWith(PREFIX), line).toBe(true);
          const { code, stdout, stderr } = await commandLine(wordsOf(line.slice(PREFIX.length)), undefined, {
            cwd: folder.path,
            env: { XDG_STATE_HOME: folder.path },
          });
          expect([line, code, code === 0 ? '' : stdout + stderr]).toEqual([line, 0, '']);
          said.set(line.slice(PREFIX.length), stdout);
        }
      }
    }
    const { baseline, final } = JSON.parse(readFileSync(inFolder('runs/shift/summary.json'), 'utf8'));
    expect(baseline.eval_accuracy).toBeLessThan(0.05);
    expect(readFileSync(inFolder('shift.yaml'), 'utf8')).toContain(STEPS);
    expect(final.eval_accuracy).toBeGreaterThan(LEARNED);
    expect(said.get('tasks show ./tasks/shift.ts -n 2')).toContain('>');
    expect(said.get('rewards check ./rewards/near.ts --task ./tasks/shift.ts')).toContain(
      'near keeps what a reward keeps',
    );
    expect(said.get('sample runs/shift "abh>" "gbe>"')).toMatch(/abh>[\s\S]*gbe>/);
    expect(existsSync(inFolder('runs/shift/report.html'))).toBe(true);

    // What step 7 says of the reward that pays for whole answers alone.
    const alone = ['--config', 'shift.yaml', '--set', 'reward_funcs=[accuracy]', '--output', 'runs/without'];
    const { code, stderr } = await commandLine(alone, undefined, {
      cwd: folder.path,
      env: { XDG_STATE_HOME: folder.path },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('step 1: 10 generation batches in a row without a live group; stopped.');
    expect(stderr).toContain('The commonest answers: ');
  } finally {
    folder.remove();
  }
}, 600_000);
