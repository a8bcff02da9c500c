/** The command that goes on with a run: its directory knows the config. */
export function resumeCommand(directory: string): string {
  const isPlain = /^[\w@%+=:,./-]+$/.test(directory);
  return `npx rlvr-train --resume --output ${isPlain ? directory : `'${directory.replaceAll("'", "'\\''")}'`}`;
}
