/** Colours of output, used only on a terminal. */
import picocolors from 'picocolors';

/**
 * Whether to colour what goes to `stdout`.
 *
 * `NO_COLOR` forbids, `FORCE_COLOR` (other than `0`) asks for, and otherwise a terminal decides. CI does not count as
 * one: its logs go to files and to other programs.
 */
export function wantsColors(
  env: Readonly<Record<string, string | undefined>>,
  stdout: { readonly isTTY?: boolean },
): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stdout.isTTY === true && env.TERM !== 'dumb';
}

export type Colors = ReturnType<typeof picocolors.createColors>;

export const colors: Colors = picocolors.createColors(wantsColors(process.env, process.stdout));
