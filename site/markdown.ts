/** One page of Markdown as HTML, its headings, and the passages that the search finds. */
import { posix } from 'node:path';
import { lexer, Parser, Renderer, type Token, type Tokens } from 'marked';
import { anchorsOfHeadings } from './anchors.ts';
import { escapeHtml, highlighted } from './highlight.ts';

export interface Heading {
  readonly depth: number;
  readonly anchor: string;
  readonly text: string;
}

/** A heading with what follows it, or a row of a table of names: what a hit of the search leads to. */
export interface Passage {
  readonly anchor: string | undefined;
  readonly title: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly passages: readonly Passage[];
}

/** Where things are. Paths are from the root of the repository, and of the site. */
export interface Places {
  /** Where the site has what a file of the repository is; undefined: nowhere. */
  addressOf(path: string): string | undefined;
  /** Whether the page of this path is one of names, whose rows are found one by one. */
  listsNames(path: string): boolean;
}

/** An address as a page writes it. @param from  the page, @param to  the target, both from the root of the site */
export function relative(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

/** @param path  of the Markdown file */
export function renderPage(path: string, markdown: string, places: Places): RenderedPage {
  const own = places.addressOf(path) ?? path;
  const tokens = lexer(markdown);
  const heads = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  const named = places.listsNames(path) ? namedIn(tokens) : [];
  // Headings come first, so that a row cannot take the anchor of one.
  const anchors = anchorsOfHeadings([...heads.map(({ text }) => text), ...named.map(({ name }) => name)]);
  const anchorOf = new Map<unknown, string>([
    ...heads.map((head, i) => [head, anchors[i]] as const),
    ...named.map(({ part }, i) => [part, anchors[heads.length + i]] as const),
  ]);

  /** Where a link of the page leads; a link that leads nowhere stays as it is, and the check of links finds it. */
  const resolve = (href: string): string => {
    if (/^[a-z][a-z+.-]*:/i.test(href)) return href;
    const [target = '', anchor] = href.split('#');
    const there = target === '' ? own : places.addressOf(posix.join(posix.dirname(path), decodeURI(target)));
    const address = there === undefined ? target : there === own ? '' : relative(own, there);
    return anchor === undefined ? address || posix.basename(own) : `${address}#${anchor}`;
  };
  /** A piece of code that names a page is a link to it. */
  const pageNamed = (text: string): string | undefined =>
    text.endsWith('.md')
      ? [posix.join(posix.dirname(path), text), text]
          .map((one) => places.addressOf(one))
          .find((one) => one !== undefined)
      : undefined;

  const idOf = (part: unknown): string => {
    const anchor = anchorOf.get(part);
    return anchor === undefined ? '' : ` id="${escapeHtml(anchor)}"`;
  };

  let isInLink = false;
  class Html extends Renderer {
    override heading(token: Tokens.Heading): string {
      const anchor = anchorOf.get(token) ?? '';
      const inner = this.parser.parseInline(token.tokens);
      const link = token.depth === 1 ? '' : ` <a class="here" href="#${anchor}" aria-label="Link to this place">#</a>`;
      return `<h${token.depth} id="${anchor}">${inner}${link}</h${token.depth}>\n`;
    }
    override code({ text, lang = '' }: Tokens.Code): string {
      return codeBlock(text, lang);
    }
    override codespan({ text }: Tokens.Codespan): string {
      const code = `<code>${escapeHtml(text)}</code>`;
      const page = isInLink ? undefined : pageNamed(text);
      return page === undefined || page === own ? code : `<a href="${escapeHtml(relative(own, page))}">${code}</a>`;
    }
    override link({ href, tokens: inside }: Tokens.Link): string {
      isInLink = true;
      const text = this.parser.parseInline(inside);
      isInLink = false;
      return `<a href="${escapeHtml(resolve(href))}">${text}</a>`;
    }
    override image({ href, text }: Tokens.Image): string {
      return `<img src="${escapeHtml(resolve(href))}" alt="${escapeHtml(text)}" loading="lazy">`;
    }
    override listitem(item: Tokens.ListItem): string {
      return `<li${idOf(item)}>${this.parser.parse(item.tokens)}</li>\n`;
    }
    override html({ text }: Tokens.HTML | Tokens.Tag): string {
      return escapeHtml(text);
    }
    override table(token: Tokens.Table): string {
      const cells = (row: readonly Tokens.TableCell[], tag: string): string => {
        const inner = row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
        return `<tr${idOf(row[0])}>${inner}</tr>\n`;
      };
      // A head without a word would be an empty stripe.
      const head = token.header.every(({ text }) => text === '') ? '' : `<thead>${cells(token.header, 'th')}</thead>`;
      const body = token.rows.map((row) => cells(row, 'td')).join('');
      const kind = token.rows.some(([first]) => anchorOf.has(first)) ? 'table names' : 'table';
      return `<div class="${kind}" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
    }
  }
  const html = new Parser({ renderer: new Html() }).parse(tokens);

  const headings = heads.map((head) => ({
    ...{ depth: head.depth, anchor: anchorOf.get(head) ?? '', text: plainText(head.tokens) },
  }));
  const title = headings[0]?.text ?? path;
  return { title, html, headings, passages: passagesOf(tokens, anchorOf, title) };
}

export function codeBlock(text: string, language: string): string {
  return `<pre tabindex="0"><code>${highlighted(text, language)}</code></pre>\n`;
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}

/** What an entry is about: the code or the bold words that it begins with. */
function nameOf(first: Token | undefined): string | undefined {
  if (first?.type === 'codespan') return first.text;
  return first?.type === 'strong' ? plainText(first.tokens ?? []) : undefined;
}

interface Named {
  /** The first cell of a row, or an item of a list. */
  readonly part: Tokens.TableCell | Tokens.ListItem;
  readonly name: string;
  readonly text: string;
}

/** The entries of tables and lists that are about a name. */
function namedIn(tokens: readonly Token[]): Named[] {
  return tokens.flatMap((token): Named[] => {
    if (isTable(token))
      return token.rows.flatMap(([part, ...rest]) => {
        const name = nameOf(part.tokens[0]);
        return name === undefined ? [] : [{ part, name, text: rowText(rest) }];
      });
    if (token.type !== 'list') return [];
    return token.items.flatMap((part: Tokens.ListItem): Named[] => {
      const [first] = part.tokens;
      const name = first?.type === 'text' ? nameOf(first.tokens?.[0]) : undefined;
      return name === undefined ? [] : [{ part, name, text: plainText(part.tokens) }];
    });
  });
}

/** The words of tokens, code included. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (isTable(token)) return [token.header, ...token.rows].map(rowText).join(' ');
      if (token.type === 'list') return token.items.map((item: Tokens.ListItem) => plainText(item.tokens)).join(' ');
      if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens);
      return 'text' in token ? token.text : ' ';
    })
    .join('')
    .replace(/\s+/g, ' ');
}

function rowText(row: readonly Tokens.TableCell[]): string {
  return row.map(({ tokens }) => plainText(tokens)).join(' ');
}

function passagesOf(tokens: readonly Token[], anchorOf: ReadonlyMap<unknown, string>, pageTitle: string): Passage[] {
  const passages: { anchor: string | undefined; title: string; text: string }[] = [];
  let section = { anchor: undefined as string | undefined, title: pageTitle, text: '' };
  passages.push(section);
  for (const token of tokens) {
    if (token.type === 'heading') {
      if (token.depth === 1) continue;
      section = { anchor: anchorOf.get(token), title: plainText(token.tokens ?? []), text: '' };
      passages.push(section);
      continue;
    }
    const named = namedIn([token]).filter(({ part }) => anchorOf.has(part));
    for (const { part, name, text } of named)
      passages.push({ anchor: anchorOf.get(part), title: name, text: `${section.title} › ${text}` });
    if (named.length === 0) section.text += ` ${plainText([token])}`;
  }
  return passages.map(({ text, ...rest }) => ({ ...rest, text: text.trim() }));
}
