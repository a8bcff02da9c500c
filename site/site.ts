/** The whole site as files: pages, the code and pictures that they link to, and what the search reads. */
import { posix } from 'node:path';
import { framed } from './layout.ts';
import { codeBlock, type Places, renderPage } from './markdown.ts';
import { HOME, NAVIGATION, placeOf } from './navigation.ts';
import type { SearchData } from './search_data.ts';

export interface SiteSources {
  /** Markdown by path from the root of the repository. */
  readonly pages: ReadonlyMap<string, string>;
  readonly hasTrainingPage: boolean;
  /** Any other file of the repository; undefined where there is none. */
  read(path: string): Uint8Array | undefined;
}

/** Files that become a page with their text. */
const CODE = /(?:\.(?<language>yaml|ts|mjs|js|sh)|\/?LICENSE)$/;

/** Pages whose tables list names, and how much more than others a hit on them is worth. */
const LISTS: Readonly<Record<string, number>> = {
  'docs/reference/keys.md': 2,
  'docs/glossary.md': 2,
  'docs/systems.md': 1.5,
  'docs/reference/metrics.md': 1.2,
  'docs/reference/commands.md': 1,
  'docs/reference/catalogue.md': 1,
};

/** Made pages are long, and the beginning of a passage says what it is about. In characters. */
const MADE_PASSAGE = 300;

/** By its address from the root of the site, each file. @throws Error for a page without a place in the menu, or without a file */
export function siteOf({ pages, hasTrainingPage, read }: SiteSources): Map<string, string | Uint8Array> {
  const site = new Map<string, string | Uint8Array>();
  const linked = new Map<string, Uint8Array>();
  const places: Places = {
    listsNames: (path) => path in LISTS,
    addressOf(path) {
      if (pages.has(path)) return pageAddress(path);
      const file = linked.get(path) ?? read(path);
      if (file === undefined) return undefined;
      linked.set(path, file);
      return CODE.test(path) ? `${path}.html` : path;
    },
  };
  const addressOf = (page: string): string => {
    if (!pages.has(page)) throw new Error(`site/navigation.ts names ${page}, which is not there: run npm run docs`);
    return pageAddress(page);
  };
  const search: SearchData = { pages: [], passages: [] };
  for (const [path, markdown] of pages) {
    const page = renderPage(path, markdown, places);
    const address = pageAddress(path);
    site.set(address, framed({ ...page, under: path, address, hasTrainingPage, addressOf }));
    const isMade = path.startsWith('docs/reference/') || path in LISTS;
    search.pages.push([address, page.title, menuOf(path), weightOf(path)]);
    for (const { anchor, title, text } of page.passages)
      search.passages.push([search.pages.length - 1, anchor ?? '', title, isMade ? text.slice(0, MADE_PASSAGE) : text]);
  }
  for (const [path, bytes] of linked) {
    const { groups } = CODE.exec(path) ?? {};
    if (groups === undefined) {
      site.set(path, bytes);
      continue;
    }
    const html = `<h1>${posix.basename(path)}</h1>\n${codeBlock(new TextDecoder().decode(bytes), groups.language ?? '')}`;
    const frame = { title: path, html, headings: [], under: HOME_OF_CODE, address: `${path}.html` };
    site.set(frame.address, framed({ ...frame, hasTrainingPage, addressOf }));
  }
  site.set('search.json', JSON.stringify(search));
  return site;
}

const HOME_OF_CODE = 'docs/README.md';

/** `docs/README.md` is the index of its folder. */
function pageAddress(path: string): string {
  return path.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');
}

function menuOf(path: string): string {
  const { group, entry } = placeOf(path);
  return `${group.title}: ${group.pages.find(([listed]) => listed === entry)?.[1]}`;
}

/** Answers come before the lab book. */
function weightOf(path: string): number {
  const { group } = placeOf(path);
  if (path === HOME) return 0.7;
  if (path in LISTS) return LISTS[path];
  if (path.startsWith('docs/reference/api/')) return 0.8;
  if (path.startsWith('docs/reference/methods/')) return 1.2;
  return group === NAVIGATION.at(-1) ? 0.6 : 1.6;
}
