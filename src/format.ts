/** Numbers and texts for people, as the command line, the diagnostics, the report and the page write them. */

/** `61.2 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** `12,345`. */
export function thousands(value: number): string {
  return minus(String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ','));
}

/** `1 batch`, `1,200 batches`. @param several  default: `one` with an s */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : several}`;
}

/** `3.2 GiB` (2³⁰ bytes). */
export function gibibytes(bytes: number, digits = 1): string {
  return `${(bytes / 2 ** 30).toFixed(digits)} GiB`;
}

/** `12s`, `1m 05s`, `2h 03m`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '?';
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`;
  return `${Math.floor(whole / 3600)}h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')}m`;
}

/** `just now`, `12m ago`, `3h ago`, `5 days ago`. */
export function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes}m ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

/** With the minus sign of print, which is as wide as the plus. */
export function minus(text: string): string {
  return text.replace(/^-/, '−');
}

/**
 * Characters that leave no visible mark: controls (escape sequences begin with one), marks that turn the
 * direction of a line, zero-width and filler characters, separators of lines, halves of surrogate pairs.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu;

/** A text of others on one line: what would move the cursor, or hide, shows as `·`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '·');
}

/** The same for a text of several lines, whose line ends stay. */
export function printableLines(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNPRINTABLE, (character) => (character === '\n' ? '\n' : '·'));
}

/** A word of a command as a shell (sh; bash and zsh for what does not print) reads it, so that it can be pasted. */
export function shellQuoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (printable(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word.replace(/[\\']/g, '\\$&').replace(UNPRINTABLE, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
  });
  return `$'${escaped}'`;
}

/** A text that may quote addresses with `user:password@` or `token@` in them, as it may be shown. */
export function withoutPasswords(text: string): string {
  return text.replace(
    /\b([a-z][\w+.-]*:\/\/)([^\s/?#@:'"]*:)?[^\s/?#@'"]+@/gi,
    (_, scheme, user = '') => `${scheme}${user}PASSWORD@`,
  );
}
