/** The frame of every page of the site. It works without a script; the script adds search and the choice of light or dark. */
import { escapeHtml } from './highlight.ts';
import type { Heading } from './markdown.ts';
import { relative } from './markdown.ts';
import { type Group, HOME, NAVIGATION, placeOf, TRAINING_PAGE } from './navigation.ts';

export interface Frame {
  /** From the root of the repository; code that a page links to is framed like the page of `under`. */
  readonly under: string;
  /** From the root of the site. */
  readonly address: string;
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly hasTrainingPage: boolean;
  addressOf(page: string): string;
}

/** More headings than this are shown without those of the third depth. */
const LONGEST_OUTLINE = 30;

const NAME = 'rlvr-train';

/** Before the first paint, or a page would flash in the other colours. */
const THEME = "try{document.documentElement.dataset.theme=localStorage.theme||''}catch{}";

export function framed(frame: Frame): string {
  const { address, title, html, under } = frame;
  const to = (there: string): string => escapeHtml(relative(address, there));
  const { group, entry } = placeOf(under);
  const isHome = under === HOME;
  const training = frame.hasTrainingPage ? `<a href="${to(TRAINING_PAGE)}">Try it</a>` : '';
  const name = title === NAME ? NAME : `${title} · ${NAME}`;
  return `<!doctype html>
<html lang="en" data-root="${to('index.html').replace(/index\.html$/, '')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<script>${THEME}</script>
<link rel="stylesheet" href="${to('site.css')}">
<link rel="icon" href="data:,">
<script type="module" src="${to('site.js')}"></script>
</head>
<body>
<a class="skip" href="#main">To the text</a>
<header>
<a class="brand" href="${to('index.html')}">${NAME}</a>
<a class="menu-link" href="#menu">Menu</a>
<div class="search" id="search" role="search"></div>
<nav aria-label="Main">${training}<a href="${to(frame.addressOf('docs/tutorial.md'))}">Tutorial</a><a href="${to(
    frame.addressOf('docs/reference/README.md'),
  )}">Reference</a></nav>
<span id="theme"></span>
</header>
<div class="frame">
<nav class="menu" id="menu" aria-label="Pages">
<a class="close" href="#main">Close</a>
${NAVIGATION.map((one) => menuOf(one, one === group, entry, frame, to)).join('\n')}
</nav>
<main id="main" class="${isHome ? 'prose home' : 'prose'}">
${isHome ? html.replace('</pre>\n', `</pre>\n${doors(frame, to)}`) : `<p class="where">${escapeHtml(group.title)}</p>\n${html}`}
${isHome ? '' : neighbours(entry, frame, to)}
</main>
${isHome ? '' : outlineOf(frame.headings)}
</div>
</body>
</html>
`;
}

type To = (address: string) => string;

function entries(group: Group, frame: Frame): (readonly [address: string, label: string])[] {
  const page =
    group.title === 'In a page' && frame.hasTrainingPage ? [[TRAINING_PAGE, 'The training page'] as const] : [];
  return [...page, ...group.pages.map(([path, label]) => [addressOfEntry(path, frame), label] as const)];
}

function addressOfEntry(path: string, frame: Frame): string {
  const [file = '', anchor] = path.split('#');
  return `${frame.addressOf(file)}${anchor === undefined ? '' : `#${anchor}`}`;
}

function menuOf(group: Group, isOpen: boolean, entry: string, frame: Frame, to: To): string {
  const here = addressOfEntry(entry, frame);
  const current = ` aria-current="${entry === frame.under ? 'page' : 'true'}"`;
  const links = entries(group, frame).map(
    ([address, label]) =>
      `<li><a href="${to(address)}"${address === here ? current : ''}>${escapeHtml(label)}</a></li>`,
  );
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(group.title)}</summary><ul>${links.join('')}</ul></details>`;
}

/** On the front, after its two commands: everything that a reader may want to do. */
function doors(frame: Frame, to: To): string {
  const cards = NAVIGATION.map((group) => {
    const links = entries(group, frame).filter(([address]) => address !== frame.address);
    const items = links.map(([address, label]) => `<li><a href="${to(address)}">${escapeHtml(label)}</a></li>`);
    return `<section><h3>${escapeHtml(group.title)}</h3><ul>${items.join('')}</ul></section>`;
  });
  return `<h2 id="i-want-to">What would you like to do?</h2>\n<div class="doors">${cards.join('\n')}</div>\n`;
}

function neighbours(entry: string, frame: Frame, to: To): string {
  const all = NAVIGATION.flatMap(({ pages }) => pages).filter(([path]) => !path.includes('#'));
  const at = all.findIndex(([path]) => path === entry);
  if (at < 0) return '';
  const link = (page: (typeof all)[number] | undefined, rel: string): string =>
    page === undefined ? '' : `<a rel="${rel}" href="${to(frame.addressOf(page[0]))}">${escapeHtml(page[1])}</a>`;
  return `<nav class="neighbours" aria-label="Next pages">${link(all[at - 1], 'prev')}${link(all[at + 1], 'next')}</nav>`;
}

function outlineOf(headings: readonly Heading[]): string {
  const below = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const shown = below.length > LONGEST_OUTLINE ? below.filter(({ depth }) => depth === 2) : below;
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ depth, anchor, text }) =>
      `<li class="depth-${depth}"><a href="#${escapeHtml(anchor)}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}
