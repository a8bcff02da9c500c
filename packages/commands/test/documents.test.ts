/** The pages: what they link to is there, for a reader of the repository and in the package that npm installs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { deadSiteLinks } from '../../../site/dead_links.ts';
import { NAVIGATION } from '../../../site/navigation.ts';
import type { SearchData } from '../../../site/search_data.ts';
import { siteOf } from '../../../site/site.ts';
import { METHOD_POINTS } from '../../../src/methods/stage.ts';
import {
  absoluteLinks,
  anchorsOf,
  deadLinks,
  localLinks,
  type PageLink,
  pagesIn,
} from '../../../test/support/page_links.ts';
import { GENERATED_FOLDER, generatedPages } from '../../../tools/generated_pages.mjs';
import { madePages } from '../../zoo/catalogue/made_pages.ts';
import { systemsPage } from '../../zoo/catalogue/systems/systems_page.ts';
import { commandsPage } from '../command_page.ts';
import { COMMANDS } from '../commands.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** What `npm run docs` would write now; what an earlier one wrote may lie in the folder, or nothing. */
const GENERATED = generatedPages({ madePages, commandsPage, COMMANDS, systemsPage });
const REFERENCE = `${GENERATED_FOLDER}/README.md`;

const WRITTEN = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...pagesIn(ROOT, 'docs').filter(
    (page) => page === REFERENCE || !(page.startsWith(`${GENERATED_FOLDER}/`) || GENERATED.has(page)),
  ),
];
const PAGES = [...WRITTEN, ...GENERATED.keys()];

const { files: published } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  files: readonly string[];
};

function read(page: string): string {
  return GENERATED.get(page) ?? readFileSync(join(ROOT, page), 'utf8');
}

function linksOf(page: string): readonly PageLink[] {
  return localLinks(page, read(page));
}

describe.each(PAGES)('%s', (page) => {
  it('links to files that exist, and to headings that they have', () => {
    expect(deadLinks(ROOT, page, GENERATED)).toEqual([]);
  });

  it('links elsewhere by whole addresses alone', () => {
    const odd = absoluteLinks(read(page)).filter((link) => !/^https:\/\//.test(link) || !URL.canParse(link));
    expect(odd).toEqual([]);
  });

  it('is published with everything that it links to', () => {
    const matchesGlob = (path: string, entry: string): boolean =>
      new RegExp(`^${entry.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}$`).test(path);
    const isPublished = (path: string): boolean =>
      published.some((entry) => path.startsWith(`${entry}/`) || matchesGlob(path, entry));
    const paths = [page, ...linksOf(page).map(({ path }) => path)];
    expect(paths.filter((path) => !isPublished(path))).toEqual([]);
  });
});

/** The pages that a reader comes to by following links. */
function reachedFrom(start: string): Set<string> {
  const reached = new Set([start]);
  for (const page of reached) for (const { path } of linksOf(page)) if (PAGES.includes(path)) reached.add(path);
  return reached;
}

it('every written page is reached from the README, over links that a repository host can follow', () => {
  const reached = reachedFrom('README.md');
  expect(WRITTEN.filter((page) => !reached.has(page))).toEqual([]);
  expect([...GENERATED.keys()].filter((page) => reached.has(page))).toEqual([]);
});

it('every generated page is reached from the catalogue, and the reference names those beside it', () => {
  const reached = reachedFrom(`${GENERATED_FOLDER}/catalogue.md`);
  // What the library exports is on the site, in its menu, and not in the package.
  const shipped = [...GENERATED.keys()].filter((page) => !page.includes('/api/'));
  expect(shipped.filter((page) => !reached.has(page))).toEqual([]);
  const files = [...GENERATED.keys()]
    .filter((page) => !page.includes('/methods/'))
    .map((page) => page.split('/').at(-1));
  expect(files.filter((file) => !read(REFERENCE).includes(`\`${file}\``))).toEqual([]);
});

describe('the site', () => {
  /** What the build puts beside the pages. */
  const BESIDE = ['try/', 'site.css', 'site.js'];
  const site = siteOf({
    pages: new Map(PAGES.map((page) => [page, read(page)])),
    hasTrainingPage: true,
    read: (path) => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path)) : undefined),
  });

  it('has no dead link, and one that is planted is found', () => {
    expect(deadSiteLinks(site, BESIDE)).toEqual([]);
    const planted = '<a href="docs/gone.html"> <a href="index.html#gone"> <a href="docs/tutorial.html">';
    expect(deadSiteLinks(new Map([...site, ['planted.html', planted]]), BESIDE)).toEqual([
      'planted.html → docs/gone.html',
      'planted.html → index.html#gone',
    ]);
  });

  it('mentions the training page only where there is one', () => {
    const linking = (files: typeof site) =>
      [...files.values()].filter((file) => String(file).includes('try/index.html'));
    const without = siteOf({
      pages: new Map(PAGES.map((page) => [page, read(page)])),
      hasTrainingPage: false,
      read: () => new Uint8Array(),
    });
    expect(linking(site).length).toBeGreaterThan(PAGES.length);
    expect(linking(without)).toEqual([]);
  });

  it('has each page in one group of its menu, and refuses a page that is in none', () => {
    const listed = NAVIGATION.flatMap(({ pages }) => pages.map(([path]) => path)).filter((path) => !path.includes('#'));
    expect(listed.toSorted()).toEqual(PAGES.filter((page) => !page.includes('/methods/')).toSorted());
    const sources = { pages: new Map([['NEW.md', '# New']]), hasTrainingPage: false, read: () => undefined };
    expect(() => siteOf(sources)).toThrow('NEW.md is in no group of site/navigation.ts: add it to one');
  });

  it('gives the search names of keys, methods, systems and words, each with its place', () => {
    const { pages, passages } = JSON.parse(String(site.get('search.json'))) as SearchData;
    const placesOf = (name: string): string[] =>
      passages.filter(([, , title]) => title === name).map(([page, anchor]) => `${pages[page][0]}#${anchor}`);
    expect(placesOf('learning_rate')).toContain('docs/reference/keys.html#learning_rate');
    expect(placesOf('reward_funcs')).toContain('docs/reference/keys.html#reward_funcs');
    expect(placesOf('m-search')).toEqual(['docs/reference/methods/m-search.html#']);
    expect(placesOf('RiskPO')).toEqual(['docs/systems.html#riskpo']);
    expect(placesOf('GRPO')).toContain('docs/glossary.html#grpo');
  });
});

it('the page on security links to files that exist, and to headings that they have', () => {
  expect(deadLinks(ROOT, '.github/SECURITY.md', GENERATED)).toEqual([]);
});

it('no generated page has a value that only JavaScript would write so', () => {
  expect([...GENERATED].filter(([, text]) => text.includes('[object ')).map(([page]) => page)).toEqual([]);
});

it('what the command prints names pages and headings that there are', () => {
  const sources = ['src', 'packages'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
  const named = sources.flatMap((name) =>
    [...read(name).matchAll(/(?<![\w/.])docs\/([\w/]+\.md)(?:#([\w-]+))?/g)].map(([, page, anchor]) => [page, anchor]),
  );
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter(([page = '', anchor]) => {
    const path = `docs/${page}`;
    return (
      !(GENERATED.has(path) || existsSync(join(ROOT, path))) ||
      (anchor !== undefined && !anchorsOf(read(path)).includes(anchor))
    );
  });
  expect(missing).toEqual([]);
});

it('the picture of a step in ARCHITECTURE.md numbers every point of the methods', () => {
  const [, picture = ''] = /^```\n([\s\S]*?)^```/m.exec(read('ARCHITECTURE.md')) ?? [];
  const numbers = [...picture.matchAll(/^[ \w-]*? (\d+) +\w/gm)].map(([, number]) => Number(number));
  expect(numbers.sort((a, b) => a - b)).toEqual(METHOD_POINTS.map((_, i) => i + 1));
});
