/** The machine of Brainf***: cells of a byte each, 0 at first, and eight instructions; `,` is not used here. */

/** Programs that run longer print nothing that is asked for. */
export const MOST_STEPS = 5000;
const NUM_CELLS = 64;

/** Where each bracket jumps to; undefined where they do not match. */
function jumpsOf(program: string): Map<number, number> | undefined {
  const jumps = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < program.length; at++) {
    if (program[at] === '[') open.push(at);
    if (program[at] !== ']') continue;
    const start = open.pop();
    if (start === undefined) return undefined;
    jumps.set(start, at);
    jumps.set(at, start);
  }
  return open.length === 0 ? jumps : undefined;
}

/** The cells that a program prints; undefined where it does not end, leaves the cells, or has brackets that do not match. */
export function printed(program: string): readonly number[] | undefined {
  const jumps = jumpsOf(program);
  if (jumps === undefined) return undefined;
  const cells = new Uint8Array(NUM_CELLS);
  const output: number[] = [];
  let cell = 0;
  let at = 0;
  for (let step = 0; at < program.length; step++) {
    if (step >= MOST_STEPS || cell < 0 || cell >= NUM_CELLS) return undefined;
    const value = cells[cell] as number;
    switch (program[at]) {
      case '>':
        cell++;
        break;
      case '<':
        cell--;
        break;
      case '+':
        cells[cell] = value + 1;
        break;
      case '-':
        cells[cell] = value - 1;
        break;
      case '.':
        output.push(value);
        break;
      case '[':
        if (value === 0) at = jumps.get(at) as number;
        break;
      case ']':
        if (value !== 0) at = jumps.get(at) as number;
        break;
      default:
        return undefined;
    }
    at++;
  }
  return output;
}
