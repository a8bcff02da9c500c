import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOfFile } from '../../../test/support/folders.ts';
import { moduleReference } from '../module.node.ts';
import { tryFile } from '../threads/own_thread.node.ts';

const folder = folderOfFile();

function trial(text: string, seconds = 60): Promise<unknown> {
  writeFileSync(join(folder, 'mine.ts'), text);
  return tryFile(moduleReference('mine.ts', undefined, folder), seconds);
}

describe('a file that', () => {
  it('has no end is given up', async () => {
    await expect(trial('for (;;);', 0.5)).rejects.toThrow(
      'does not finish loading within 0.5 s; correct it, or raise reward_timeout',
    );
  });

  it('ends the process says so', async () => {
    await expect(trial('process.exit(3);')).rejects.toThrow(
      'ended its thread by process.exit(3) while it was loaded; correct it',
    );
  });

  it('fails says where', async () => {
    await expect(trial('throw new Error("no");')).rejects.toThrow(
      'fails when it is loaded: Error: no (line 1); correct it',
    );
  });

  it('is a task or a reward passes', async () => {
    await expect(trial('const one: number = 1; export default { one };')).resolves.toBeUndefined();
  });
});
