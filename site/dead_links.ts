/** The check of the finished site: every address that a page names is a file of it, and every anchor is in that file. */
import { posix } from 'node:path';

/**
 * @param site   pages as HTML, other files as bytes, by address
 * @param beside  folders that are put beside them, which are not looked into
 * @returns one line per dead link: the page and what it names
 */
export function deadSiteLinks(site: ReadonlyMap<string, string | Uint8Array>, beside: readonly string[]): string[] {
  const anchors = new Map(
    [...site].map(([address, file]) => [
      address,
      new Set(typeof file === 'string' ? [...file.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id) : []),
    ]),
  );
  return [...site].flatMap(([address, file]) =>
    typeof file === 'string' && address.endsWith('.html')
      ? [...file.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, written]) => {
          if (/^[a-z][a-z+.-]*:/i.test(written)) return [];
          const [path, anchor] = written.split('#');
          const there = path === '' ? address : posix.join(posix.dirname(address), decodeURI(path));
          if (beside.some((folder) => there.startsWith(folder))) return [];
          const isThere = anchors.get(there)?.has(anchor ?? '') || (anchor === undefined && anchors.has(there));
          return isThere ? [] : [`${address} → ${written}`];
        })
      : [],
  );
}
