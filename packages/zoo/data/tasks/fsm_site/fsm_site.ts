/**
 * A site as a state machine: pages are its states, and links lead from one to another, not back.
 *
 *   prompt      a f bd>      the first page, the page to find, and the links of the first page
 *   action      d            a link of the page one is on, named by the page that it leads to
 *   observation bg           the links of the page that it led to; ? where that was no link
 *   won         on the page to find; lost after `turns` links
 *   split       by hash of both pages and of the links on the expert's way: what is shown on it
 *
 * The page to find can be reached from every page, and from the first one by three links at least and by `turns` at
 * most. The expert knows the whole site; a policy has to explore it, or to learn it by heart where it is always the same.
 */
import { correct, environmentTask, LETTERS, type Rng, rngFor } from '../../kit.ts';
import { remembered } from '../../remembered.ts';
import { stepsToGoal } from '../../search/distances.ts';
import { type FsmSiteKnobs, fsmSiteCard } from './card.ts';

/** `site`: by page the pages that it links to, in order; pages are numbered, and written as letters. */
export type FsmSiteItem = { readonly site: readonly string[]; readonly page: number; readonly goal: number };
export type FsmSiteState = FsmSiteItem;

const numberOf = (page: string): number => LETTERS.indexOf(page);

/** Fewest links of a problem: nearer pages are found by chance. */
const LEAST_LINKS = 3;

function drawSite(rng: Rng, { pages, links }: FsmSiteKnobs): FsmSiteItem['site'] {
  const names = LETTERS.slice(0, pages).split('');
  return names.map((name) =>
    rng
      .shuffle(names.filter((other) => other !== name))
      .slice(0, links)
      .sort()
      .join(''),
  );
}

/** Fewest links from each page to a goal; -1 where there is no way. */
const linksTo = remembered((site: FsmSiteItem['site']) => {
  const known: Int32Array[] = [];
  return (goal: number): Int32Array => {
    known[goal] ??= stepsToGoal(
      site.length,
      (page) => site[page].split('').map(numberOf),
      (page) => page === goal,
    );
    return known[goal];
  };
});

/** The link of a page that leads nearest to a goal, the first of several. */
function bestLink({ site, page, goal }: FsmSiteItem): string {
  const left = linksTo(site)(goal);
  return site[page].split('').reduce((best, link) => (left[numberOf(link)] < left[numberOf(best)] ? link : best));
}

/** The links of each page on the expert's way. */
function linksOnTheWay(item: FsmSiteItem): string[] {
  const links: string[] = [];
  for (let { page } = item; page !== item.goal; page = numberOf(bestLink({ ...item, page })))
    links.push(item.site[page]);
  return links;
}

/** The site of a number: the first one drawn in which every page can be reached from all others. */
const sharedSite = remembered((knobs: FsmSiteKnobs) => {
  const rng = rngFor(`fsm_site|${knobs.site}|${knobs.pages}|${knobs.links}`);
  for (;;) {
    const site = drawSite(rng, knobs);
    if (site.every((_, goal) => !linksTo(site)(goal).includes(-1))) return site;
  }
});

/** Null where the goal is too near or too far, or where a page has no way to it. */
function problemOf(site: FsmSiteItem['site'], page: number, goal: number, { turns }: FsmSiteKnobs): FsmSiteItem | null {
  const left = linksTo(site)(goal);
  return left[page] < LEAST_LINKS || left[page] > turns || left.includes(-1) ? null : { site, page, goal };
}

export const fsmSite = environmentTask<FsmSiteItem, FsmSiteState, FsmSiteKnobs>(fsmSiteCard, {
  characters: `${LETTERS.slice(0, 20)} >?`,
  generate(rng, knobs) {
    const site = knobs.site === 0 ? drawSite(rng, knobs) : sharedSite(knobs);
    return problemOf(site, rng.int(0, knobs.pages - 1), rng.int(0, knobs.pages - 1), knobs);
  },
  enumerate(knobs) {
    if (knobs.site === 0) return undefined;
    const site = sharedSite(knobs);
    return site.flatMap((_, page) => site.flatMap((_, goal) => problemOf(site, page, goal, knobs) ?? []));
  },
  key: ({ site, page, goal }) => `fsm_site|${site.join(' ')}|${page}|${goal}`,
  splitKey: (item) => `fsm_site|${item.page}|${item.goal}|${linksOnTheWay(item).join(' ')}`,
  prompt: ({ site, page, goal }) => `${LETTERS[page]} ${LETTERS[goal]} ${site[page]}>`,
  question: ({ site, page, goal }) =>
    `You are on page ${LETTERS[page]} of a site and look for page ${LETTERS[goal]}. Each page is a letter. ` +
    `This page links to: ${site[page]}. Write the letter of a link to follow it, and I list the links of the page it leads to.`,
  start: (item) => item,
  step(state, action) {
    const { site, page, goal } = state;
    if (action.length !== 1 || !site[page].includes(action)) return { state, observation: '?', illegal: true };
    const next = { ...state, page: numberOf(action) };
    if (next.page === goal) return { state: next, potential: 1, verdict: correct('the page is found', action) };
    const left = linksTo(site)(goal)[next.page];
    return { state: next, observation: site[next.page], potential: 1 - left / site.length };
  },
  expert: bestLink,
  distance: ({ site, page, goal }) => linksTo(site)(goal)[page],
  random: ({ site, page }, _, rng) => rng.pick(site[page].split('')),
  /** A link shows one further page at most. */
  chance: ({ turns, pages }) => Math.min(1, turns / pages),
  longest: ({ turns, links }) => ({ turns, prompt: links + 5, action: 1, observation: links, question: 260 }),
});
