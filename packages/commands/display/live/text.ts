/** Text measured in terminal columns: what fits on a line is decided before colours are added. */
import stringWidth from 'string-width';

/** A piece of a line and how it is painted. */
export type Span = readonly [text: string, paint?: (text: string) => string];

const graphemes = new Intl.Segmenter();

/** ASCII, box drawing, blocks: one column per character, known without segmenting, which costs milliseconds per frame. */
const NARROW = /^[ -~\u2500-\u259f]*$/;

/** Columns that a text takes; escape sequences take none. */
export function columnsOf(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

/** The first columns of a plain text; a cut shows as `…`. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += columnsOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns > 0 ? `${kept}…` : '';
}

/** The first columns of some spans. */
export function cutSpans(spans: readonly Span[], columns: number): Span[] {
  const fitting: Span[] = [];
  let left = columns;
  for (const [text, paint] of spans) {
    const own = cut(text, left);
    fitting.push([own, paint]);
    left -= columnsOf(own);
    if (own !== text) break;
  }
  return fitting;
}

/** Spans as one painted line of at most `columns`. */
export function line(spans: readonly Span[], columns: number): string {
  return cutSpans(spans, columns)
    .map(([text, paint]) => (paint === undefined ? text : paint(text)))
    .join('');
}

/** As many items as fit, whole ones, with spaces between. */
export function row(items: readonly (readonly Span[])[], columns: number, gap = 3): string {
  const fitting: Span[] = [];
  let used = 0;
  for (const item of items) {
    const width = item.reduce((sum, [text]) => sum + columnsOf(text), 0);
    const space = fitting.length === 0 ? 0 : gap;
    if (used + space + width > columns && fitting.length > 0) break;
    if (space > 0) fitting.push([' '.repeat(space)]);
    fitting.push(...item);
    used += space + width;
  }
  return line(fitting, columns);
}

/** Lines broken between words where they are too long, the rest indented; as they are where there is no width. */
export function wrapWords(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split('\n')
    .flatMap((whole) => wrapLine(whole, columns))
    .join('\n');
}

function wrapLine(whole: string, columns: number): string[] {
  if (columnsOf(whole) <= columns) return [whole];
  const indent = `${/^ */.exec(whole)?.[0]}  `;
  const lines: string[] = [];
  let current = '';
  for (const word of whole.split(/(?<=\S)(?= )/)) {
    if (current !== '' && columnsOf(current + word) > columns) {
      lines.push(current);
      current = indent + word.trimStart();
    } else current += word;
  }
  return [...lines, current];
}
