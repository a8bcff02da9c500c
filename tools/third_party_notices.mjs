// The licences of what a bundle took in: one text, a section per package. A package without a licence text is refused,
// since the bundle holds its code without its own files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const NOTICES_FILE = 'THIRD_PARTY_NOTICES.txt';

const RULE = `\n${'='.repeat(80)}\n`;
const HEAD = 'These files contain code of the packages below, each under its own licence.\n';

/** The folder of each package that one of the modules comes from. @param modules  paths of the modules in a bundle */
export function packageFolders(modules) {
  const inside = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;
  const folders = modules.flatMap((path) => inside.exec(path.replace(/^\0/, '').split('?')[0])?.[1] ?? []);
  return [...new Set(folders)].sort();
}

/** The notices of packages, and of what others said before: sections of the same package and version once. */
export function noticesOf(folders, earlier = []) {
  const sections = new Map([...earlier.flatMap(sectionsOf), ...folders.map(sectionOf)]);
  const sorted = [...sections].sort(([a], [b]) => (a < b ? -1 : 1));
  return HEAD + sorted.map(([title, text]) => `${RULE}${title}\n\n${text}\n`).join('');
}

function sectionsOf(notices) {
  return notices
    .split(RULE)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end).trim()];
    });
}

function sectionOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const texts = files.filter((file) => /^(licen[cs]e|copying|notice)(\.|$)/i.test(file)).sort();
  if (texts.length === 0) throw new Error(`${name} ${version} is bundled and has no licence text in its package.`);
  const text = texts.map((file) => readFileSync(join(folder, file), 'utf8').replace(/\r\n/g, '\n').trim()).join('\n\n');
  return [`${name} ${version} (${license})`, text];
}

/**
 * For Vite: writes the notices of a page beside it. What was bundled before it came to Vite says its own in `earlier`.
 *
 * @param earlier  files of notices that the page's packages bring along
 */
export function thirdPartyNotices(earlier) {
  const modules = new Set();
  const collect = {
    name: 'third-party-modules',
    generateBundle(_options, bundle) {
      for (const { type, moduleIds = [] } of Object.values(bundle)) {
        if (type === 'chunk') for (const id of moduleIds) modules.add(id);
      }
    },
  };
  const write = {
    name: 'third-party-notices',
    enforce: 'post',
    generateBundle() {
      const texts = earlier.map((file) => readFileSync(file, 'utf8'));
      this.emitFile({ type: 'asset', fileName: NOTICES_FILE, source: noticesOf(packageFolders([...modules]), texts) });
    },
  };
  return { collect, write };
}
