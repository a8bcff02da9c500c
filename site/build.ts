/**
 * `npm run docs:site [-- FOLDER]`: the documentation as a static site, into site/dist or FOLDER, for any host and any path.
 * A build of the training page (`npm run build:web`) becomes a part of it.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesOf, packageFolders } from '../tools/third_party_notices.mjs';
import { deadSiteLinks } from './dead_links.ts';
import { TRAINING_PAGE } from './navigation.ts';
import { siteOf } from './site.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TRAINING_FOLDER = 'web/dist';
/** From the folder of the training page: link previews are of its own build, and the sources of its engine are in `assets`. */
const [, , out = join(ROOT, 'site/dist')] = process.argv;

const read = (path: string): Uint8Array | undefined => {
  const file = join(ROOT, path);
  return !path.startsWith('..') && existsSync(file) && statSync(file).isFile() ? readFileSync(file) : undefined;
};
const pages = new Map(
  [
    ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name.replaceAll('\\', '/')}`)
      .sort(),
  ].map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);
const hasTrainingPage = existsSync(join(ROOT, TRAINING_FOLDER, 'index.html'));
const site = siteOf({ pages, hasTrainingPage, read });

const bundle = await rolldown({ input: join(ROOT, 'site/page/main.ts') });
const { output } = await bundle.generate({ format: 'esm', minify: true });
await bundle.close();
const notices = noticesOf(packageFolders(output.flatMap((part) => ('moduleIds' in part ? part.moduleIds : []))));
site.set('site.js', `/*!\n${notices.replaceAll('*/', '* /')}*/\n${output[0].code}`);
// One palette with the report and the training page.
site.set(
  'site.css',
  ['packages/report/page/palette.css', 'packages/report/page/base.css', 'site/page/site.css']
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n'),
);

const training = dirname(TRAINING_PAGE);
const dead = deadSiteLinks(site, [`${training}/`]);
if (dead.length > 0) throw new Error(`the site has ${dead.length} dead links:\n${dead.join('\n')}`);

rmSync(out, { recursive: true, force: true });
for (const [address, file] of site) {
  mkdirSync(dirname(join(out, address)), { recursive: true });
  writeFileSync(join(out, address), file);
}
if (hasTrainingPage) cpSync(join(ROOT, TRAINING_FOLDER), join(out, training), { recursive: true });
const without = hasTrainingPage ? '' : '; without the training page, which npm run build:web makes';
console.log(`${out}: ${site.size} files, no dead link${without}`);
