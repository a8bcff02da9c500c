/** The first comment of the file that declares a method, which says why its formula is as it is: for its page. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where methods are declared: those of the core, and all others. */
const FOLDERS = ['../src/methods/', '../packages/zoo/methods/'].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
);
const DECLARED = /^(?: {2}id: |const ID = )'([^']+)'/m;
const FIRST_COMMENT = /^\/\*\*([\s\S]*?)\*\//;

/** The source of the file that declares each method, by its id. */
export function methodSources() {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /^\w+[/\\]\w+\.ts$/.test(name))
      .map((name) => `${folder}${name}`),
  );
  const all = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const id = text.includes('method({') ? DECLARED.exec(text)?.[1] : undefined;
    return id === undefined ? [] : [[id, text]];
  });
  return new Map(all);
}

/** @returns by id, Markdown without a newline at its end; '' of a method without such a comment */
export function methodReasoning() {
  const sources = methodSources();
  return (id) => markdownOf(FIRST_COMMENT.exec(sources.get(id) ?? '')?.[1] ?? '');
}

/** Lines that are indented within the comment are formulas: a block of their own. */
export function markdownOf(comment) {
  const lines = comment
    .trim()
    .split('\n')
    .map((line) => line.replace(/^ ?\* ?/, '').trimEnd());
  const parts = [];
  for (const line of lines) {
    const kind = line === '' ? 'gap' : /^ {2,}/.test(line) ? 'formula' : 'text';
    const last = parts.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else parts.push({ kind, lines: [line] });
  }
  return parts
    .filter(({ kind }) => kind !== 'gap')
    .map((part) =>
      part.kind === 'text' ? escaped(part.lines.join(' ')) : ['```text', ...part.lines, '```'].join('\n'),
    )
    .join('\n\n');
}

/** Angle brackets outside of code would be taken for tags. */
function escaped(text) {
  return text.replace(/(`[^`]*`)|</g, (_, code) => code ?? '&lt;');
}
