import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOfFile } from '../../../test/support/folders.ts';
import { Documents } from '../ui/static_files.ts';

const folder = folderOfFile();

it('pages that lie in the folder are read, those of methods are made, and there are no others', async () => {
  writeFileSync(join(folder, 'ui.md'), '# Runs as pages\n');
  const documents = new Documents(folder);
  const read = async (path: string): Promise<string> => {
    const file = await documents.read(path);
    return `${file?.type}: ${new TextDecoder().decode(file?.bytes).split('\n')[0]}`;
  };
  expect(await read('ui.md')).toBe('text/plain; charset=utf-8: # Runs as pages');
  expect(await read('reference/methods/cispo.md')).toBe('text/plain; charset=utf-8: # cispo');
  for (const path of ['reference/methods/nothing.md', 'reference/methods/../keys.md', 'methods/cispo.md', '']) {
    expect(await documents.read(path), path).toBeUndefined();
  }
});
