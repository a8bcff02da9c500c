/** Two sandboxes that are opened at the same time: a task set that loads tasks side by side does so. */
import { expect, it } from 'vitest';

it('each gets its meter, and WebAssembly is as it was', async () => {
  const { instantiate } = WebAssembly;
  // Modules of their own, which no other test has opened.
  const [{ openJavaScript }, { openSql }] = await Promise.all([
    import('../../sandbox/javascript.ts' as string) as Promise<typeof import('../../sandbox/javascript.ts')>,
    import('../../sandbox/sql.ts' as string) as Promise<typeof import('../../sandbox/sql.ts')>,
  ]);
  const [javascript, sql] = await Promise.all([openJavaScript(), openSql()]);
  expect(javascript.run('1 + 1')).toMatchObject({ ok: true, output: '2' });
  expect(javascript.run('for (;;);')).toMatchObject({ ok: false, failure: 'fuel' });
  expect(sql.engine.version).toMatch(/^[0-9a-f]{16}$/);
  expect(WebAssembly.instantiate).toBe(instantiate);
});
