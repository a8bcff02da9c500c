/** Colours of the page as a canvas takes them, which knows neither variables nor light-dark(). */
import { element } from '../dom.ts';

const COLORS = 8;
const computed = new Map<string, string>();
const whenChanged: (() => void)[] = [];

/** `--c0` → `rgb(11, 98, 214)`. */
export function paletteColor(name: string): string {
  const cached = computed.get(name);
  if (cached !== undefined) return cached;
  // An element of its own: with the colour of the body, the whole page would be styled again.
  const probe = document.body.appendChild(element('i', { hidden: true, style: `color: var(${name})` }));
  const { color } = getComputedStyle(probe);
  probe.remove();
  computed.set(name, color);
  return color;
}

/** The variable of a series' colour: that of its meaning, else of its place. */
export function colorOf({ color }: { readonly color?: string | undefined }, place: number): string {
  return color ?? `--c${place % COLORS}`;
}

/** @param change  called when the colours are others: by the page's own button, by the system, for print */
export function onPalette(change: () => void): void {
  whenChanged.push(change);
}

/** Sets the theme; undefined: that of the system. */
export function setTheme(theme: string | undefined): void {
  if (theme === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  forget();
}

export function forget(): void {
  computed.clear();
  for (const change of whenChanged) change();
}
