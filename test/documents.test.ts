/** The pages: what they link to is there, also in the package that npm installs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { METHOD_POINTS } from '../src/methods/stage.ts';
import { absoluteLinks, anchorsOf, deadLinks, localLinks, type PageLink } from './support/page_links.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/api', 'docs/methods'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  ),
];

const { files: published } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  files: readonly string[];
};

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

function linksOf(page: string): readonly PageLink[] {
  return localLinks(page, read(page));
}

describe.each(PAGES)('%s', (page) => {
  it('links to files that exist, and to headings that they have', () => {
    expect(deadLinks(ROOT, page)).toEqual([]);
  });

  it('links elsewhere by whole addresses alone', () => {
    const odd = absoluteLinks(read(page)).filter((link) => !/^https:\/\//.test(link) || !URL.canParse(link));
    expect(odd).toEqual([]);
  });

  it('is published with everything that it links to', () => {
    const isPublished = (path: string): boolean =>
      published.some((entry) => path === entry || path.startsWith(`${entry}/`));
    const paths = [page, ...linksOf(page).map(({ path }) => path)];
    expect(paths.filter((path) => !isPublished(path))).toEqual([]);
  });
});

it('every page of docs/ is reached from the README', () => {
  const reached = new Set<string>(['README.md']);
  for (const page of reached) {
    for (const { path } of linksOf(page)) if (path.endsWith('.md') && existsSync(join(ROOT, path))) reached.add(path);
  }
  expect(PAGES.filter((page) => !reached.has(page))).toEqual([]);
});

it('what the command prints names pages and headings that there are', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.ts$/.test(name),
  );
  const named = sources.flatMap((name) =>
    [...read(`src/${name}`).matchAll(/(?<![\w/.])docs\/([\w/]+\.md)(?:#([\w-]+))?/g)].map(([, page, anchor]) => [
      page,
      anchor,
    ]),
  );
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter(([page = '', anchor]) => {
    const path = `docs/${page}`;
    return !existsSync(join(ROOT, path)) || (anchor !== undefined && !anchorsOf(read(path)).includes(anchor));
  });
  expect(missing).toEqual([]);
});

it('the picture of a step in ARCHITECTURE.md numbers every point of the methods', () => {
  const [, picture = ''] = /^```\n([\s\S]*?)^```/m.exec(read('ARCHITECTURE.md')) ?? [];
  const numbers = [...picture.matchAll(/^[ \w-]*? (\d+) +\w/gm)].map(([, number]) => Number(number));
  expect(numbers.sort((a, b) => a - b)).toEqual(METHOD_POINTS.map((_, i) => i + 1));
});
