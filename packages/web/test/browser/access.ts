/** What axe finds on a page, and whether it is wider than its window: by daylight at a desk, and at night in a hand. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { fewOf } from '../../../../test/support/budget.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** All four before a release. */
const VIEWS = fewOf(
  [
    { width: 1280, colorScheme: 'light' },
    { width: 1280, colorScheme: 'dark' },
    { width: 390, colorScheme: 'dark' },
    { width: 390, colorScheme: 'light' },
  ] as const,
  { quick: 2, all: 2 },
);

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** All of it, in each view; empty where all is well. The page is as before afterwards. */
export async function findings(page: Page): Promise<string[]> {
  const size = page.viewportSize();
  const found: string[] = [];
  await page.evaluate(AXE); // by the debugger, which the page's policy does not bind
  for (const { width, colorScheme } of VIEWS) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    });
    found.push(...violations.map((text) => `${colorScheme} ${width}: ${text}`));
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push(`${width}: too wide`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (size !== null) await page.setViewportSize(size);
  return found;
}

/** What a keyboard should come to. Of radio buttons one of a group is enough: arrows do the rest. */
const CONTROLS =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea, summary, [tabindex="0"]';

/**
 * Goes through the whole page with Tab, and leaves editors with Escape first.
 *
 * @returns the controls that it never comes to, and those that do not show that it is there; empty where all is well
 */
export async function unreached(page: Page): Promise<string[]> {
  const count = await page.evaluate((selector) => {
    (document.activeElement as HTMLElement | null)?.blur();
    const groups = new Set<string>();
    const controls = [...document.querySelectorAll<HTMLElement>(selector)].filter((control) => {
      if (!control.checkVisibility() || control.closest('[inert]') !== null) return false;
      if (!(control instanceof HTMLInputElement) || control.type !== 'radio') return true;
      return !groups.has(control.name) && groups.add(control.name);
    });
    for (const control of controls) control.dataset.control = 'unreached';
    return controls.length;
  }, CONTROLS);
  for (let i = 0; i < count + 5; i++) {
    if (await page.evaluate(() => document.activeElement?.closest('.editor, textarea') != null)) {
      await page.keyboard.press('Escape');
    }
    await page.keyboard.press('Tab');
    await page.evaluate(() => {
      const at = document.activeElement;
      if (!(at instanceof HTMLElement) || at === document.body) return;
      const isOutlined = (one: Element | null): boolean => {
        const { outlineStyle, boxShadow } =
          one === null ? { outlineStyle: 'none', boxShadow: 'none' } : getComputedStyle(one);
        return outlineStyle !== 'none' || boxShadow !== 'none';
      };
      const isShown = [at, at.nextElementSibling, at.closest('label, .editor')].some(isOutlined);
      const { name } = at as HTMLInputElement;
      const group = at.matches('[type=radio]') ? document.querySelectorAll(`[type=radio][name="${name}"]`) : [at];
      for (const one of [...group, at.closest('.editor')?.querySelector('textarea')]) {
        if (one instanceof HTMLElement && one.dataset.control !== undefined)
          one.dataset.control = isShown ? 'reached' : 'not shown';
      }
    });
  }
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-control]')].flatMap((control) => {
      const { control: found } = control.dataset;
      delete control.dataset.control;
      return found === 'reached' || !control.isConnected ? [] : [`${found}: ${control.outerHTML.slice(0, 200)}`];
    }),
  );
}
