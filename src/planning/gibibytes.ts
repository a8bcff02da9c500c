/** Bytes of memory as messages have them: `1.5 GiB`. */
export function gibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
