/** What needs a script on the site: the search, and the choice of light or dark. */
import MiniSearch, { type SearchResult } from 'minisearch';
import { element } from '../../packages/report/page/dom.ts';
import type { SearchData } from '../search_data.ts';

interface Entry {
  readonly id: number;
  readonly title: string;
  readonly page: string;
  readonly menu: string;
  readonly text: string;
  readonly address: string;
  readonly weight: number;
}

const MOST_HITS = 12;
const MOST_OF_A_PAGE = 3;
const FEW = 4;
/** Characters of a passage that a hit shows, and how many of them come before the word. */
const EXCERPT = 150;
const BEFORE = 40;

const root = document.documentElement.dataset.root ?? '';

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_./-]*/gu) ?? [];
/** Names are found whole and by their parts: `learning_rate` by "learning rate", too. */
const wordsAndParts = (text: string): string[] =>
  words(text).flatMap((word) => [
    word,
    ...(/[_./-]/.test(word) ? word.split(/[_./-]+/).filter((part) => part !== '') : []),
  ]);

let index: Promise<MiniSearch<Entry>> | undefined;

async function loaded(): Promise<MiniSearch<Entry>> {
  const answer = await fetch(`${root}search.json`);
  if (!answer.ok) throw new Error(`search.json cannot be read: status ${answer.status}`);
  const { pages, passages } = (await answer.json()) as SearchData;
  const search = new MiniSearch<Entry>({
    fields: ['title', 'page', 'menu', 'text'],
    storeFields: ['title', 'page', 'text', 'address', 'weight'],
    tokenize: wordsAndParts,
    searchOptions: { tokenize: words, prefix: true, boost: { title: 6, page: 2, menu: 2 } },
  });
  const entries = passages.map(([at, anchor, title, text], id) => {
    const [address, page, menu, weight] = pages[at];
    return { id, title, page, menu, text, weight, address: anchor === '' ? address : `${address}#${anchor}` };
  });
  await search.addAllAsync(entries, { chunkSize: 500 });
  return search;
}

/** What a question has beside its words. */
const SMALL = new Set(
  (
    'a an and are can do does for from here how i in is it many me mean means much my need needs of on or should that the ' +
    'there to use what when where which why with work works'
  ).split(' '),
);

/** Hits with all words; where few passages have them all, then those with any. */
function hitsOf(search: MiniSearch<Entry>, query: string): SearchResult[] {
  const large = words(query).filter((word) => !SMALL.has(word));
  const question = large.length > 0 ? large.join(' ') : query;
  const options = {
    fuzzy: (term: string) => term.length > 4 && 0.2,
    boostDocument: (_: unknown, __: string, stored?: Record<string, unknown>) =>
      Number(stored?.weight) * (String(stored?.title).toLowerCase() === question.trim().toLowerCase() ? 20 : 1),
  };
  const all = search.search(question, { ...options, combineWith: 'AND' });
  const ids = new Set(all.map(({ id }) => id));
  const some = all.length < FEW ? search.search(question, options).filter(({ id }) => !ids.has(id)) : [];
  const onPage = new Map<string, number>();
  const isShown = ({ page }: SearchResult): boolean => {
    onPage.set(page, (onPage.get(page) ?? 0) + 1);
    return (onPage.get(page) ?? 0) <= MOST_OF_A_PAGE;
  };
  return [...all, ...some].filter(isShown).slice(0, MOST_HITS);
}

/** A piece of the passage around the first word that was found, which is marked. */
function excerpt({ text, terms }: SearchResult): (Node | string)[] {
  const whole = String(text);
  const lower = whole.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const at = places.length === 0 ? -1 : Math.min(...places);
  const from = at > BEFORE ? whole.lastIndexOf(' ', at - BEFORE) + 1 : 0;
  const piece = whole.slice(from, from + EXCERPT);
  const term = terms.find((one) => lower.indexOf(one) === at);
  if (at < 0 || term === undefined) return [piece];
  const [start, end] = [at - from, at - from + term.length];
  return [piece.slice(0, start), element('mark', {}, piece.slice(start, end)), piece.slice(end)];
}

function showSearch(place: HTMLElement): void {
  const input = element('input', {
    ...{ type: 'search', placeholder: 'Search  /', autocomplete: 'off' },
    'aria-label': 'Search the documentation',
  });
  const hits = element('ol');
  const told = element('p', { class: 'told', role: 'status' });
  const panel = element('div', { class: 'hits', hidden: true }, told, hits);
  place.append(input, panel);

  const load = (): Promise<MiniSearch<Entry>> => {
    index ??= loaded();
    return index;
  };
  const close = (): void => {
    panel.hidden = true;
  };
  const update = async (): Promise<void> => {
    const query = input.value;
    if (query.trim() === '') return close();
    panel.hidden = false;
    try {
      const found = hitsOf(await load(), query);
      if (query !== input.value) return;
      panel.dataset.query = query;
      told.textContent = found.length === 0 ? `Nothing has “${query}”.` : '';
      hits.replaceChildren(
        ...found.map((hit) =>
          element(
            'li',
            {},
            element(
              'a',
              { href: `${root}${hit.address}` },
              element('b', {}, hit.title),
              element('span', {}, hit.title === hit.page ? '' : hit.page),
              element('small', {}, ...excerpt(hit)),
            ),
          ),
        ),
      );
    } catch (error) {
      index = undefined;
      told.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  input.addEventListener('focus', () => void load().catch(() => (index = undefined)), { once: true });
  input.addEventListener('input', () => void update());
  place.addEventListener('keydown', (event) => {
    const links = [...hits.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === 'Escape') {
      close();
      input.focus();
    } else if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
    else if (event.key === 'Enter' && event.target === input) links[0]?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (isTyping || !(event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey)))) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener('pointerdown', (event) => {
    if (!place.contains(event.target as Node)) close();
  });
  // A hit on the page that is open moves there, and the panel would cover it.
  hits.addEventListener('click', close);
}

function showTheme(place: HTMLElement): void {
  const { dataset } = document.documentElement;
  const isDark = (): boolean =>
    dataset.theme === 'dark' || (!dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  const button = element('button', { type: 'button' });
  const label = (): void => {
    button.textContent = isDark() ? 'Light' : 'Dark';
  };
  button.addEventListener('click', () => {
    dataset.theme = isDark() ? 'light' : 'dark';
    localStorage.theme = dataset.theme;
    label();
  });
  label();
  place.append(button);
}

const places = ['search', 'theme'].map((id) => document.getElementById(id));
if (places[0]) showSearch(places[0]);
if (places[1]) showTheme(places[1]);
