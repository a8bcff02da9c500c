/** HTML by template: whatever is put into it is text, and is escaped, unless it is markup itself. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | undefined | readonly Part[];

/** `html\`<p>${text}</p>\``; lists are joined, undefined is nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(texts.reduce((all, text, i) => all + rendered(parts[i - 1]) + text));
}

function rendered(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (part === undefined) return '';
  if (typeof part === 'object') return part.map(rendered).join('');
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** JSON inside a `<script>` element: without `<`, nothing in it can end the element or open a comment. */
export function embeddedJson(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));
}
