/** The notices beside a bundle. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noticesOf, packageFolders } from '../../tools/third_party_notices.mjs';
import { folderOfFile } from '../support/folders.ts';

const root = folderOfFile();

function makePackage(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.stringify({ name, version: '1.2.3', license: 'MIT' });
  for (const [file, text] of Object.entries({ 'package.json': manifest, ...files }))
    writeFileSync(join(folder, file), text);
  return folder;
}

it('finds the packages that modules come from, nested and scoped ones too', () => {
  expect(
    packageFolders([
      '/a/src/main.ts',
      '/a/node_modules/zod/index.js',
      '/a/node_modules/zod/v4/core.js?used',
      '\0/a/node_modules/@scope/one/index.js',
      '/a/node_modules/zod/node_modules/inner/index.js',
    ]),
  ).toEqual(['/a/node_modules/@scope/one', '/a/node_modules/zod', '/a/node_modules/zod/node_modules/inner']);
});

it('has a section per package, those of an earlier bundle among them, and each once', () => {
  const one = makePackage('one', { LICENSE: 'Permission of one\r\n' });
  const two = makePackage('two', { 'licence.md': 'Permission of two', 'NOTICE.txt': 'Notice of two' });
  const both = noticesOf([two], [noticesOf([one, two])]);
  expect(both).toBe(noticesOf([one, two]));
  expect(both.match(/^(one|two) 1\.2\.3 \(MIT\)$/gm)).toEqual(['one 1.2.3 (MIT)', 'two 1.2.3 (MIT)']);
  expect(both).toContain('Notice of two\n\nPermission of two\n');
  expect(both).not.toContain('\r');
});

it('refuses a package without the text of its licence', () => {
  const bare = makePackage('bare', { 'README.md': 'MIT' });
  expect(() => noticesOf([bare])).toThrow('bare 1.2.3 is bundled and has no licence text in its package');
});
