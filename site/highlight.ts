/** Colours the code of a page: comments, texts, keys, words of the language and numbers, by one pattern per language. */

const NUMBER = /(?<number>(?<![\w.-])-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]))/;
const TEXT = /(?<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)/;
const HASH = /(?<comment>(?<=^|\s)#[^\n]*)/;
const SLASHES = /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)/;
const WORDS =
  /(?<word>\b(?:as|async|await|break|class|const|continue|def|else|export|extends|false|for|from|function|if|import|in|interface|let|new|null|of|readonly|return|satisfies|throw|true|type|typeof|undefined|while)\b)/;
const KEY = /(?<key>(?<=^[ -]*|[{,]\s*)[\w./-]+(?=:(?:\s|$)))/;
const PROGRAM = /(?<word>(?<=^|[|&]\s*)(?:bash|cd|cp|curl|node|npm|npx|pip|python3?|rlvr-train)\b)/;
const FLAG = /(?<key>(?<=\s)--?[a-zA-Z][\w-]*)/;

const SCRIPT = [SLASHES, TEXT, WORDS, NUMBER];
const PATTERNS: Readonly<Record<string, RegExp>> = Object.fromEntries(
  Object.entries({
    ...{ ts: SCRIPT, js: SCRIPT, mjs: SCRIPT, html: [TEXT] },
    yaml: [HASH, KEY, TEXT, NUMBER],
    json: [KEY, TEXT, NUMBER],
    ...{ sh: [HASH, TEXT, PROGRAM, FLAG], python: [HASH, TEXT, WORDS, NUMBER] },
  }).map(([language, parts]) => [language, new RegExp(parts.map(({ source }) => source).join('|'), 'gm')]),
);

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** @returns HTML; of an unknown language the code as it is */
export function highlighted(code: string, language: string): string {
  const pattern = PATTERNS[language];
  if (pattern === undefined) return escapeHtml(code);
  let [html, end] = ['', 0];
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [''];
    html += `${escapeHtml(code.slice(end, match.index))}<i class="${kind}">${escapeHtml(match[0])}</i>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(end));
}
