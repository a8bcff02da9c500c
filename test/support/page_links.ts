/** The links of a page of Markdown, and the anchors that others may link to. Nothing is asked of a network. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { anchorsOfHeadings } from '../../site/anchors.ts';

export interface PageLink {
  /** From the root of the folder that the page lies in. */
  readonly path: string;
  readonly anchor: string | undefined;
}

const WRITTEN = [
  /\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g, // [text](place), ![picture](place)
  /^\[[^\]]+\]:\s*<?([^\s>]+)>?/gm, // [name]: place
  /<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)="([^"]+)"/g,
];

/** Everything outside of blocks and pieces of code that a page refers to, as it is written. */
function writtenLinks(text: string): string[] {
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/`[^`\n]+`/g, '``');
  return WRITTEN.flatMap((pattern) => [...prose.matchAll(pattern)].map(([, place = '']) => place));
}

/** Links to files beside the page. */
export function localLinks(page: string, text: string): PageLink[] {
  return writtenLinks(text)
    .filter((place) => !isAbsolute(place))
    .map((place) => {
      const [target = '', anchor] = place.split('#');
      const path = target === '' ? page : posix.join(posix.dirname(page), decodeURI(target));
      return { path, anchor };
    });
}

/** Links to other places. */
export function absoluteLinks(text: string): string[] {
  return writtenLinks(text).filter(isAbsolute);
}

function isAbsolute(place: string): boolean {
  return /^(?:[a-z][a-z+.-]*:|\/\/)/i.test(place);
}

/** The anchors that GitHub gives the headings of a page. */
export function anchorsOf(text: string): string[] {
  const headings = text.replace(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/^#+ (.+)$/gm);
  return anchorsOfHeadings([...headings].map(([, heading = '']) => heading));
}

/** Every page below a folder, by its path; not those of packages. */
export function pagesIn(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : pagesIn(root, path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/**
 * Links of a page that lead nowhere: to no file of the folder, or to no heading of it.
 *
 * @param made  pages by path that count as files of the folder, whatever lies there
 */
export function deadLinks(root: string, page: string, made: ReadonlyMap<string, string> = new Map()): string[] {
  const read = (path: string): string => made.get(path) ?? readFileSync(join(root, path), 'utf8');
  return localLinks(page, read(page)).flatMap(({ path, anchor }) => {
    const isInside = made.has(path) || (!path.startsWith('..') && existsSync(join(root, path)));
    const isThere = isInside && (anchor === undefined || anchorsOf(read(path)).includes(anchor));
    return isThere ? [] : [`${page} → ${path}${anchor === undefined ? '' : `#${anchor}`}`];
  });
}
