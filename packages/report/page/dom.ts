/** Elements by one call, for the report and the training page. Text goes in as text nodes; nothing is ever parsed as HTML. */

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  fill(made, attributes, children);
  return made;
}

/** The same for SVG. */
export function shape<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(made, attributes, children);
  return made;
}

/** `false` and undefined leave an attribute out, `true` sets it empty. */
function fill(made: Element, attributes: Attributes, children: readonly (Node | string)[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
}

/** The element that the page's markup has under this id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** A row of buttons, one of them chosen: radio buttons, so that arrow keys and screen readers know them. */
export function choices<T extends string>(
  legend: string,
  options: readonly (readonly [value: T, label: string])[],
  chosen: T,
  onChoose: (value: T) => void,
): HTMLFieldSetElement {
  const name = `choice-${legend.toLowerCase().replaceAll(' ', '-')}`;
  const buttons = options.map(([value, label]) => {
    const input = element('input', { type: 'radio', name, value, checked: value === chosen });
    input.addEventListener('change', () => onChoose(value));
    return element('label', {}, input, element('span', {}, label));
  });
  return element(
    'fieldset',
    { class: options.length > 3 ? 'choices many' : 'choices' },
    element('legend', {}, legend),
    ...buttons,
  );
}

/** Writes a text where it is another: the same one again would be laid out again. */
export function write(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}

/**
 * A table in a box that scrolls, by keyboard, too.
 *
 * @param label  names it for screen readers
 * @param rows  of cells; one that is no `td` yet becomes one
 */
export function scrollTable(
  label: string,
  heads: readonly string[],
  rows: readonly (readonly (Node | string)[])[],
  caption?: string,
): HTMLElement {
  const cell = (content: Node | string): HTMLElement =>
    content instanceof HTMLTableCellElement ? content : element('td', {}, content);
  const table = element(
    'table',
    {},
    ...(caption === undefined ? [] : [element('caption', {}, caption)]),
    element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
    element('tbody', {}, ...rows.map((row) => element('tr', {}, ...row.map(cell)))),
  );
  return element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, table);
}
