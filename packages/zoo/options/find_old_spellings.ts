/**
 * Finds old spellings of option declarations in the text of a user's file. They still work (`old_spellings.ts`); the
 * plug-ins note what to write before they are gone.
 */

const PACKAGE = /['"]rlvr-train\/(?:tasks|methods|rewards)['"]/;
/** Names in braces that come from one of these entry points: `import { a } from '…'`, `const { a } = await import('…')`. */
const TAKEN =
  /\{([^{}]*)\}\s*(?:from|=\s*(?:await\s+import|require)\s*\()\s*['"]rlvr-train\/(?:tasks|methods|rewards)['"]/g;
/** A namespace import. */
const NAMESPACE = /\*\s*as\s+(\w+)\s+from\s*['"]rlvr-train\/(?:tasks|methods|rewards)['"]/g;
const NEW_NAMES: Readonly<Record<string, string>> = { whole: 'integer', real: 'number', unset: 'optional' };
/** The range that a declaration of a number takes. */
const RANGE = /\b(?:whole|real|integer|number)\s*\(\s*\{([^{}]*)\}/g;
const NEW_BOUNDS: Readonly<Record<string, string>> = { least: 'min', most: 'max' };

/** `integer for whole (line 2)` and the like, each with the line where it is first found. */
export function findOldSpellings(text: string): readonly string[] {
  if (!PACKAGE.test(text)) return [];
  const lines = new Map<string, number>();
  const find = (at: number, passage: string, names: Readonly<Record<string, string>>, ending: string): void => {
    for (const [old, remedy] of Object.entries(names)) {
      const place = new RegExp(`\\b${old}\\b${ending}`).exec(passage);
      const what = `${remedy} for ${old}`;
      if (place !== null && !lines.has(what)) lines.set(what, text.slice(0, at + place.index).split('\n').length);
    }
  };
  for (const { index, 0: passage } of text.matchAll(TAKEN)) find(index, passage, NEW_NAMES, '');
  for (const [, namespace = ''] of text.matchAll(NAMESPACE)) {
    for (const { index, 0: passage } of text.matchAll(new RegExp(`\\b${namespace}\\.\\w+`, 'g')))
      find(index, passage, NEW_NAMES, '');
  }
  for (const { index, 0: passage } of text.matchAll(RANGE)) find(index, passage, NEW_BOUNDS, '\\s*:');
  return [...lines].map(([what, line]) => `${what} (line ${line})`);
}
