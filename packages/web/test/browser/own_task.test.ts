/** A task that a visitor writes: checked, trained on, and sent as a link; its code runs in the sandbox alone. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { arrive, openSite, status, type Visit, visit, weightsHash } from './chromium.ts';

const SMALL = 'warmStart=4&steps=4&batch=64&evalEvery=4';
const TASK = `function generate(rng) {
  return { a: rng.int(0, 30), b: rng.int(0, 30) };
}
const prompt = ({ a, b }) => a + '+' + b + '=';
const oracle = ({ a, b }) => String(a + b);
function verify(problem, answer) {
  return { score: answer === oracle(problem), reason: 'the sum, or not' };
}`;

const { browser, site } = await openSite();
let open: Visit;

beforeAll(async () => {
  open = await visit(browser, `${site.url}#preset=own-task&${SMALL}`);
  await status(open.page, 'resting');
});
afterAll(() => expect(open.errors).toEqual([]));

/** What the page says of a task. */
async function checked(code: string): Promise<string> {
  const { page } = open;
  await page.fill('#task-code', code);
  await page.click('#check-task');
  const result = '#own-task [aria-live]';
  await page.waitForFunction((at) => /^(?!Drawing)./.test(document.querySelector(at)?.textContent ?? ''), result);
  return (await page.textContent(result)) ?? '';
}

it.each(
  /* biome-ignore format: a table */ [
    ['throws', TASK.replace('a + b)', 'a + c)'), /oracle: ReferenceError: c is not defined \(line 5\)/],
    ['misses a function', 'function generate() {}', /declares no function prompt; declare one/],
    ['has one problem', TASK.replaceAll('rng.int(0, 30)', '1'), /give 1 different problems; 20 are the least/],
    ['draws by itself', TASK.replaceAll('rng.int(0, 30)', 'Math.floor(Math.random() * 30)'),
      /The same draw gives another/],
    ['refuses its own answer', TASK.replace('answer ===', 'answer !=='), /verify refuses the answer of oracle/],
    ['takes anything', TASK.replace('answer === oracle(problem)', 'true'), /verify takes "" for a right answer/],
    ['judges in words', TASK.replace('{ score: answer === oracle(problem)', '{ score: "yes"'),
      /verify gave "yes" for problem/],
  ],
)('one that %s is a sentence', async (_, code, said) => {
  await expect.poll(() => checked(code)).toMatch(said);
  if (code.includes('a + c')) await open.page.click('#own-task >> text=Go to line 5');
});

it('is trained on, and a link brings it to another visitor, who sees it before it runs, with the same bits', async () => {
  const { page } = open;
  await expect.poll(() => checked(TASK)).toMatch(/Nothing was found wrong\. \d+ problems to train on, \d+ held out/);
  await page.click('#use-task');
  await page.waitForFunction(() => location.hash.includes('taskcode='));
  await page.waitForFunction(() =>
    /8\d\d problems|7\d\d problems|6\d\d problems/.test(document.getElementById('backend')?.textContent ?? ''),
  );
  await status(page, 'resting');
  await page.click('#train');
  await status(page, 'finished');
  await expect.poll(() => page.textContent('#group')).toMatch(/\d+\+\d+=[\s\S]*the sum, or not/);
  const hash = await weightsHash(page);

  const other = await arrive(browser, page.url());
  await status(other.page, 'waiting');
  await expect.poll(() => other.page.textContent('#agreement pre')).toBe(TASK);
  await expect.poll(() => other.page.inputValue('#task-code')).toBe(TASK);
  await other.page.waitForTimeout(500);
  expect(other.page.workers()).toEqual([]);
  await other.page.click('#agree');
  await other.page.click('#train');
  await status(other.page, 'finished');
  expect(await weightsHash(other.page)).toBe(hash);
  expect(other.errors).toEqual([]);
  await other.close();
});
