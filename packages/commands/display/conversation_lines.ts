/** An episode as a conversation, a turn a line: who said what. */

import { colors } from '../../../src/cli/display/colors.ts';
import { POLICY_TURN } from '../../../src/data/environment.ts';
import { printable } from '../../../src/format.ts';

const INDENT = ' '.repeat(9);

/** @param turns  who said it, and what; ends of lines around it set turns apart and are left out */
export function conversationLines(turns: readonly { readonly label: string; readonly text: string }[]): string[] {
  const widest = Math.max(0, ...turns.map(({ label }) => label.length));
  return turns.map((turn) => turnLine(turn, widest));
}

/** A turn as it is said. @param widest  columns of who says it */
export function turnLine({ label, text }: { readonly label: string; readonly text: string }, widest: number): string {
  const line = `${INDENT}${printable(label).padEnd(widest)}  ${printable(text.trim())}`;
  return label === POLICY_TURN ? line : colors.dim(line);
}
