/** One figure of a page: its name, its value, and what it is of. */
import { html, type Markup } from './markup.ts';

export function figure(title: string, value: string | Markup, note: string | Markup | undefined): Markup {
  return html`<div><dt>${title}</dt><dd>${value}</dd>${note && html`<dd class="note">${note}</dd>`}</div>`;
}
