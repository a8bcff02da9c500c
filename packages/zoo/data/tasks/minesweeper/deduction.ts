/** Which covered fields cannot be mines, by every way in which the mines may lie: exact, with no guess. */

/** A field that is open, as its number of mines around it, or covered. */
export const COVERED = '#';

/** The fields around each, in reading order. */
export function neighboursOf(size: number): readonly (readonly number[])[] {
  return Array.from({ length: size * size }, (_, field) => {
    const [row, column] = [Math.floor(field / size), field % size];
    const around: number[] = [];
    for (let y = Math.max(0, row - 1); y <= Math.min(size - 1, row + 1); y++) {
      for (let x = Math.max(0, column - 1); x <= Math.min(size - 1, column + 1); x++) {
        if (y !== row || x !== column) around.push(y * size + x);
      }
    }
    return around;
  });
}

/** An open number: of its covered neighbours, how many are mines. */
interface Clue {
  readonly fields: readonly number[];
  readonly mines: number;
}

/**
 * Covered fields that are no mine wherever the mines lie.
 *
 * @param seen  [fields] digits and `COVERED`
 */
export function safeFields(seen: string, mines: number, neighbours: readonly (readonly number[])[]): number[] {
  const covered = [...seen].flatMap((one, field) => (one === COVERED ? [field] : []));
  const clues = [...seen].flatMap((one, field): Clue[] => {
    const fields = neighbours[field].filter((other) => seen[other] === COVERED);
    return one === COVERED || fields.length === 0 ? [] : [{ fields, mines: Number(one) }];
  });
  const frontier = covered.filter((field) => clues.some(({ fields }) => fields.includes(field)));
  const others = covered.length - frontier.length;
  const cluesOf = new Map(frontier.map((field) => [field, clues.filter(({ fields }) => fields.includes(field))]));
  /** By field of the frontier: 1 a mine, 0 none, -1 not decided. */
  const lies = new Int8Array(seen.length).fill(-1);
  const canBeMine = new Set<number>();
  let isOutsideFree = true;
  const agrees = ({ fields, mines: number }: Clue): boolean => {
    let [laid, open] = [0, 0];
    for (const field of fields) {
      if (lies[field] === 1) laid++;
      else if (lies[field] === -1) open++;
    }
    return laid <= number && number <= laid + open;
  };
  const lay = (next: number, left: number): void => {
    if (next === frontier.length) {
      if (left > others) return;
      if (left > 0) isOutsideFree = false;
      for (const field of frontier) if (lies[field] === 1) canBeMine.add(field);
      return;
    }
    const field = frontier[next];
    for (const is of left > 0 ? [0, 1] : [0]) {
      lies[field] = is;
      if ((cluesOf.get(field) ?? []).every(agrees)) lay(next + 1, left - is);
    }
    lies[field] = -1;
  };
  lay(0, mines);
  return covered.filter((field) => (cluesOf.has(field) ? !canBeMine.has(field) : isOutsideFree));
}
