/** The pages: what they link to is there, for a reader of the repository and in the package that npm installs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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
  expect([...GENERATED.keys()].filter((page) => !reached.has(page))).toEqual([]);
  const files = [...GENERATED.keys()]
    .filter((page) => !page.includes('/methods/'))
    .map((page) => page.split('/').at(-1));
  expect(files.filter((file) => !read(REFERENCE).includes(`\`${file}\``))).toEqual([]);
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
