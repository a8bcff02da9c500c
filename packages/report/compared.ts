/** Runs beside each other, problem by problem, as a page and as a section of one: what `rlvr-train compare` prints. */
import { counted } from '../../src/format.ts';
import type { Comparison } from '../compare/compare.ts';
import { figureCells, greedyWords, reachWords } from '../compare/words.ts';
import { html, type Markup } from './markup.ts';
import { pageHtml } from './page_html.ts';

/** A comparison, or why there is none between these two. */
export type MadeComparison =
  | Comparison
  | { readonly a: readonly string[]; readonly b: readonly string[]; readonly reason: string };

/** Problems gained, and lost, that a page shows of each pair; `compare --json` has all. */
const SHOWN_PROBLEMS = 12;
const SHOWN_KEYS = 24;
const HEADS = ['A', 'B', 'B − A', '95 %', 'of B'] as const;

/** A page that is complete in itself. @param at  the evaluation that was compared */
export async function makeComparisonPage(comparisons: readonly MadeComparison[], at: string): Promise<string> {
  const body = html`
<header class="top">
  <div><h1>Compare ${comparisons.length + 1} methods</h1><p class="about">by their evaluation “${at}”, problem by problem</p></div>
  <button type="button" id="theme" title="Switch between light and dark">Theme</button>
</header>
<main>${renderComparisons(comparisons)}</main>
<footer>Made by rlvr-train compare; the page is complete in itself.</footer>`;
  return pageHtml('Compare', body, { page: 'comparison' });
}

/** The first method beside each of the others. */
export function renderComparisons(comparisons: readonly MadeComparison[]): Markup {
  return html`${comparisons.map((one) => ('reason' in one ? refused(one) : compared(one)))}`;
}

function headingOf({ a, b }: Pick<MadeComparison, 'a' | 'b'>): Markup {
  return html`<h3>A ${a.join(', ')} <span class="note">beside</span> B ${b.join(', ')}</h3>`;
}

function refused(one: Extract<MadeComparison, { readonly reason: string }>): Markup {
  return html`<article>${headingOf(one)}<p class="notice">Not compared: ${one.reason}</p></article>`;
}

function compared(one: Comparison): Markup {
  const { problems, figures, gained, lost } = one;
  const rows = figures.map((figure) => {
    const { low, high } = figure.difference;
    const word = low > 0 ? 'more' : high < 0 ? 'less' : 'cannot tell';
    const cells = [...figureCells(figure, one), word].map((cell, i) => html`<td data-head="${HEADS[i]}">${cell}</td>`);
    return html`<tr><th scope="row">${figure.name}</th>${cells}</tr>`;
  });
  return html`<article>${headingOf(one)}
${keysOf(one)}
<div class="wide" tabindex="0" role="region" aria-label="Figures of both">
<table class="runs"><thead><tr><th scope="col">${problems} held-out problems</th>${HEADS.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table>
</div>
<p>${greedyWords(one)}</p>
${boundaryOf(one)}
${examplesOf('Gained: B is right, A is not', gained)}
${examplesOf('Lost: A is right, B is not', lost)}
</article>`;
}

function keysOf({ differs, same }: Comparison): Markup {
  if (differs.length === 0) return html`<p class="quiet">Their configs are the same.</p>`;
  const text = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value));
  const shown = differs.slice(0, SHOWN_KEYS);
  const more = differs.length > shown.length ? html`<li>and ${differs.length - shown.length} more</li>` : undefined;
  return html`<details><summary>${counted(differs.length, 'key of their configs differs', 'keys of their configs differ')}</summary><ul>${shown.map(({ key, a, b }) => html`<li><code>${key}</code>: ${text(a)} → ${text(b)}</li>`)}${more}</ul></details>${same.map((sentence) => html`<p class="notice">${sentence}</p>`)}`;
}

/** The plot of pass@k, and beside it the room of its axes, in its own units. */
const PLOT = { width: 480, height: 180, left: 46, right: 16, top: 10, bottom: 24 };
/** The least distance of the letters at the ends of the curves. */
const LETTER = 14;

/** pass@k of both over k, k doubling from left to right. */
function boundaryOf(one: Comparison): Markup | undefined {
  const words = reachWords(one);
  if (words === undefined) return undefined;
  const { a, b } = one.boundary;
  const samples = a.length;
  const { width, height, left, right, top, bottom } = PLOT;
  const x = (k: number): string => ((width * Math.log2(k)) / Math.log2(samples)).toFixed(1);
  const y = (share: number): string => (height * (1 - share)).toFixed(1);
  const [endA, endB] = [a, b].map((curve) => height * (1 - (curve.at(-1) ?? 0))) as [number, number];
  const apart = Math.max(0, LETTER - Math.abs(endA - endB)) / (endA > endB ? 2 : -2);
  const line = (side: 'a' | 'b', curve: readonly number[]): Markup => {
    const points = curve.map((value, i) => `${x(i + 1)},${y(value)}`).join(' ');
    const at = (side === 'a' ? endA + apart : endB - apart).toFixed(1);
    return html`<polyline class="${side}" points="${points}"/><text class="${side}" x="${width + 4}" y="${at}">${side.toUpperCase()}</text>`;
  };
  const doublings = Array.from({ length: Math.floor(Math.log2(samples)) + 1 }, (_, i) => 2 ** i);
  return html`
<figure class="boundary">
<svg viewBox="${-left} ${-top} ${left + width + right} ${top + height + bottom}" role="img" aria-label="pass@k of A and B, k from 1 to ${samples}">
${[0, 0.25, 0.5, 0.75, 1].map((share) => html`<line x2="${width}" y1="${y(share)}" y2="${y(share)}"/><text class="y" x="-6" y="${y(share)}">${100 * share} %</text>`)}
${doublings.map((k) => html`<text class="x" x="${x(k)}" y="${height + 17}">${k === 1 ? 'k = 1' : k}</text>`)}
${line('a', a)}${line('b', b)}</svg>
<figcaption>pass@k of <span class="a">A</span> and <span class="b">B</span>: the share of problems that any of k samples solves. ${words}</figcaption>
</figure>`;
}

function examplesOf(what: string, all: Comparison['gained']): Markup | undefined {
  if (all.length === 0) return undefined;
  const rows = all
    .slice(0, SHOWN_PROBLEMS)
    .map(
      ({ prompt, a, b }) =>
        html`<tr><td><code>${prompt}</code></td><td data-head="A"><code>${a}</code></td><td data-head="B"><code>${b}</code></td></tr>`,
    );
  return html`<details><summary>${what} (${Math.min(SHOWN_PROBLEMS, all.length)} of ${all.length})</summary>
<div class="wide" tabindex="0" role="region" aria-label="${what}"><table class="runs"><thead><tr><th scope="col">problem</th><th scope="col">A</th><th scope="col">B</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}
