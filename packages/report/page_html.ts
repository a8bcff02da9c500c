/**
 * The frame of every page: one style, one script, its data as JSON.
 *
 * The script is known to the page's policy by its hash, and no other runs. A report's policy forbids it any request; a
 * page that a server made may ask that server alone.
 */
import { PAGE_SCRIPT, PAGE_STYLE } from './assets.ts';
import type { PageData } from './data.ts';
import { embeddedJson, html, Markup } from './markup.ts';

export async function pageHtml(title: string, body: Markup, data: PageData): Promise<string> {
  const hash = await sha256Base64(PAGE_SCRIPT);
  const connect =
    data.page === 'report' || data.page === 'comparison'
      ? ''
      : "; connect-src 'self'; base-uri 'none'; form-action 'none'";
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'${connect}`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · rlvr-train</title>
<style>${new Markup(PAGE_STYLE)}</style>
</head>
<body>
${body}
<script type="application/json" id="data">${embeddedJson(data)}</script>
<script type="module">${new Markup(PAGE_SCRIPT)}</script>
</body>
</html>
`;
  return page.text;
}

async function sha256Base64(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}
