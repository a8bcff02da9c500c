/** The pages: what they link to is there, also in the package that npm installs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { METHOD_POINTS } from '../src/methods/stage.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/methods'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
  ),
];

const { files: published } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  files: readonly string[];
};

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Links and pictures to places beside the page, outside blocks of code: path from the root, and heading. */
function linksOf(page: string): { readonly path: string; readonly heading: string | undefined }[] {
  const prose = read(page).replace(/^ *```[\s\S]*?^ *```/gm, '');
  return [...prose.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(([, target, heading]) => ({
    path: target === '' ? page : posix.join(posix.dirname(page), target),
    heading,
  }));
}

/** The anchor that a heading has on GitHub. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function headingsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading));
}

describe.each(PAGES)('%s', (page) => {
  it('links to files that exist, and to headings that they have', () => {
    const broken = linksOf(page).filter(
      ({ path, heading }) =>
        !existsSync(join(ROOT, path)) || (heading !== undefined && !headingsOf(path).includes(heading)),
    );
    expect(broken).toEqual([]);
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

it('the picture of a step in ARCHITECTURE.md numbers every point of the methods', () => {
  const [, picture = ''] = /^```\n([\s\S]*?)^```/m.exec(read('ARCHITECTURE.md')) ?? [];
  const numbers = [...picture.matchAll(/^[ \w-]*? (\d+) +\w/gm)].map(([, number]) => Number(number));
  expect(numbers.sort((a, b) => a - b)).toEqual(METHOD_POINTS.map((_, i) => i + 1));
});
