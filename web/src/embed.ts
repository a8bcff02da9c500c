/** `?embed=1&preset=…`: the page as a part of another one, compact, with its controls, figures, curves and one group. */

/** What an address asks for besides the experiment. */
const OF_THE_PAGE = ['embed', 'backend', 'software', 'threads'];

/** @param full  the link to the whole page, which the compact one has in its place */
export function embed(full: HTMLAnchorElement): void {
  document.body.classList.add('embed');
  full.addEventListener('pointerdown', () => follow(full));
  full.addEventListener('focus', () => follow(full));
}

/** The experiment as the query has it, in the form of a link. */
export function ofExperiment(query: URLSearchParams): string {
  return new URLSearchParams([...query].filter(([key]) => !OF_THE_PAGE.includes(key))).toString();
}

/** The same experiment in the whole page: settings may have moved it since. */
function follow(full: HTMLAnchorElement): void {
  const hash = location.hash === '' ? `#${ofExperiment(new URLSearchParams(location.search))}` : location.hash;
  full.href = location.pathname + hash;
}
