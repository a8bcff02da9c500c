/** The anchors that a repository host gives the headings of a page; the site gives them the same, so that links hold on both. */

/** @returns one anchor per heading, in order; the second one of a name ends in `-1` */
export function anchorsOfHeadings(headings: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const name = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}-${times}`;
  });
}
