/** What moves lead to in a small warehouse, and the shortest way to its end. */

export const MOVES = 'UDLR';

/** Fields in rows, numbered in reading order; its edge is a wall. */
export interface Warehouse {
  readonly size: number;
  /** One character a field: `#` a wall, `o` a place that a box belongs on, `.` any other. */
  readonly floor: string;
}

/** Where the player is, and where boxes are, in ascending order. */
export interface Standing {
  readonly player: number;
  readonly boxes: readonly number[];
}

const WALL = -1;

/** [field][move] the next field in that direction, or a wall. */
function fieldsBeyond({ size, floor }: Warehouse): Int8Array {
  const beyond = new Int8Array(4 * size * size).fill(WALL);
  const join = (from: number, move: number, to: number): void => {
    if (floor[from] !== '#' && floor[to] !== '#') beyond[4 * from + move] = to;
  };
  for (let field = 0; field < size * size; field++) {
    if (field >= size) join(field, 0, field - size);
    if (field < size * (size - 1)) join(field, 1, field + size);
    if (field % size > 0) join(field, 2, field - 1);
    if (field % size < size - 1) join(field, 3, field + 1);
  }
  return beyond;
}

/** What a move leads to: nowhere else where a wall is in the way, or a second box. */
export function moved(warehouse: Warehouse, at: Standing, move: string): Standing {
  const beyond = fieldsBeyond(warehouse);
  const way = MOVES.indexOf(move);
  const player = beyond[4 * at.player + way];
  if (player === WALL) return at;
  if (!at.boxes.includes(player)) return { ...at, player };
  const pushed = beyond[4 * player + way];
  if (pushed === WALL || at.boxes.includes(pushed)) return at;
  return { player, boxes: at.boxes.map((box) => (box === player ? pushed : box)).sort((a, b) => a - b) };
}

export function isDone({ floor }: Warehouse, { boxes }: Standing): boolean {
  return boxes.every((box) => floor[box] === 'o');
}

/** [fields] whether a box there can still be pushed onto a place: found by pulling one away from each. */
export function usefulFields(warehouse: Warehouse): Uint8Array {
  const beyond = fieldsBeyond(warehouse);
  const fields = warehouse.floor.length;
  const useful = new Uint8Array(fields);
  const queue = Array.from({ length: fields }, (_, field) => field).filter((field) => warehouse.floor[field] === 'o');
  for (const place of queue) useful[place] = 1;
  for (let first = 0; first < queue.length; first++) {
    for (let move = 0; move < 4; move++) {
      const from = beyond[4 * queue[first] + move];
      // The player is beyond the box that it pulls.
      if (from === WALL || useful[from] === 1 || beyond[4 * from + move] === WALL) continue;
      useful[from] = 1;
      queue.push(from);
    }
  }
  return useful;
}

/** Fields that no number of a state is beyond, and so the base of its digits: player, then boxes. */
const BASE = 36;

/** A shortest way to the end, a letter a move; undefined where none leads there. */
export function shortestWay(warehouse: Warehouse, from: Standing): string | undefined {
  const beyond = fieldsBeyond(warehouse);
  const useful = usefulFields(warehouse);
  const isPlace = Uint8Array.from(warehouse.floor, (field) => Number(field === 'o'));
  const two = from.boxes.length > 1;
  const count = BASE ** (two ? 3 : 2);
  /** [states] the move that led there and the state before, from 1; 0 where it was not seen. */
  const before = new Int32Array(count);
  const codeOf = (player: number, first: number, second: number): number =>
    two ? (player * BASE + Math.min(first, second)) * BASE + Math.max(first, second) : player * BASE + first;
  const start = codeOf(from.player, from.boxes[0], from.boxes[1] ?? 0);
  const queue = [start];
  before[start] = -1;
  for (let next = 0; next < queue.length; next++) {
    const code = queue[next];
    const player = two ? Math.floor(code / (BASE * BASE)) : Math.floor(code / BASE);
    const first = two ? Math.floor(code / BASE) % BASE : code % BASE;
    const second = two ? code % BASE : -1;
    if (isPlace[first] === 1 && (!two || isPlace[second] === 1)) return wayTo(code, before);
    for (let move = 0; move < 4; move++) {
      const to = beyond[4 * player + move];
      if (to === WALL) continue;
      let [a, b] = [first, second];
      if (to === first || to === second) {
        const pushed = beyond[4 * to + move];
        if (pushed === WALL || pushed === first || pushed === second || useful[pushed] === 0) continue;
        if (to === first) a = pushed;
        else b = pushed;
      }
      const reached = codeOf(to, a, b);
      if (before[reached] !== 0) continue;
      before[reached] = 1 + 4 * code + move;
      queue.push(reached);
    }
  }
  return undefined;
}

function wayTo(end: number, before: Int32Array): string {
  let way = '';
  for (let code = end; before[code] > 0; code = Math.floor((before[code] - 1) / 4))
    way = MOVES[(before[code] - 1) % 4] + way;
  return way;
}
