/** Roles that the policy writes in within a turn: `<plan>…</plan>`. */

/** What is written in a role: places of a text. */
export interface RoleSpan {
  readonly role: string;
  /** With its marks. */
  readonly from: number;
  readonly to: number;
}

/** What opens a role, and what closes it. */
export function marksOf(role: string): readonly [open: string, close: string] {
  return [`<${role}>`, `</${role}>`];
}

/** The spans of a text in order; one that is not closed goes to the end. Roles do not nest: in a role all is of it. */
export function roleSpans(text: string, roles: readonly string[]): RoleSpan[] {
  const spans: RoleSpan[] = [];
  for (let at = 0; at < text.length; ) {
    const next = roles
      .map((role) => ({ role, from: text.indexOf(marksOf(role)[0], at) }))
      .filter(({ from }) => from >= 0)
      .sort((a, b) => a.from - b.from)[0];
    if (next === undefined) return spans;
    const [open, close] = marksOf(next.role);
    const end = text.indexOf(close, next.from + open.length);
    at = end < 0 ? text.length : end + close.length;
    spans.push({ ...next, to: at });
  }
  return spans;
}

/** A text without what is written in roles, and without blanks around the rest. */
export function outsideRoles(text: string, roles: readonly string[]): string {
  const spans = roleSpans(text, roles);
  if (spans.length === 0) return text;
  let outside = '';
  let at = 0;
  for (const { from, to } of spans) {
    outside += text.slice(at, from);
    at = to;
  }
  return (outside + text.slice(at)).trim();
}

/** [tokens] the role that each writes a character of; undefined: none. */
export function rolesByToken(
  tokens: Int32Array,
  roles: readonly string[],
  tokenText: (id: number) => string,
): (string | undefined)[] {
  const pieces = Array.from(tokens, tokenText);
  const spans = roleSpans(pieces.join(''), roles);
  let begin = 0;
  return pieces.map((piece) => {
    const [from, to] = [begin, begin + piece.length];
    begin = to;
    return spans.find((span) => span.from < to && span.to > from)?.role;
  });
}
