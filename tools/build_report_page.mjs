// Bundles the report's page (packages/report/page) into one script and one style, and writes both as texts into one
// TypeScript module: a report is made in Node, or in a browser, without a file to locate.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesOf, packageFolders } from './third_party_notices.mjs';

const folder = fileURLToPath(new URL('../packages/report', import.meta.url));

const bundle = await rolldown({ input: join(folder, 'page/main.ts'), plugins: [withoutFormats()] });
const { output } = await bundle.generate({ format: 'esm', minify: true });
await bundle.close();
const foreign = packageFolders(output.flatMap(({ moduleIds = [] }) => moduleIds));
// A page is one file that users pass on: the licences of what it holds are in it, before the script.
const notices = noticesOf(foreign).replaceAll('*/', '* /');
const script = `/*!\n${notices}*/\n${output[0].code.trim()}`;
const charts = readFileSync(new URL('../node_modules/uplot/dist/uPlot.min.css', import.meta.url), 'utf8');
// In the order in which later rules win.
const own = ['palette', 'base', 'page', 'charts', 'completions', 'details', 'screens'].map((name) =>
  readFileSync(join(folder, 'page', `${name}.css`), 'utf8'),
);
const style = [charts, ...own]
  .join('')
  .replace(/\/\*[\s\S]*?\*\//g, '')
  .replace(/\s*\n\s*/g, '\n')
  .trim();
// Either text would end its element early, and no escape exists for it there.
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
  throw new Error('the page holds a tag that would end it');

// With their types, or the declarations would hold both texts once more.
writeFileSync(
  join(folder, 'assets.ts'),
  `// Made by tools/build_report_page.mjs. Do not edit.\n\nexport const PAGE_SCRIPT: string = ${JSON.stringify(script)};\n` +
    `export const PAGE_STYLE: string = ${JSON.stringify(style)};\n`,
);

/**
 * uPlot makes formats of numbers and dates as it is loaded, which takes a browser 20 to 50 ms the first time. Our charts
 * have their own words for every axis.
 */
function withoutFormats() {
  const made = [
    ["new Intl.NumberFormat(domEnv ? nav.language : 'en-US')", '{ format: String }'],
    ['new Intl.DateTimeFormat().resolvedOptions().timeZone', "''"],
  ];
  return {
    name: 'without-formats',
    transform(code, id) {
      if (!/uPlot\.esm\.js$/.test(id)) return undefined;
      return made.reduce((text, [from, to]) => {
        if (!text.includes(` = ${from};`)) throw new Error(`uPlot no longer says ${from}`);
        return text.replace(` = ${from};`, ` = ${to};`);
      }, code);
    },
  };
}
