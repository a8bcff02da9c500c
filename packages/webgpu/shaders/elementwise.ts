/** Fill, add, copy, scale and mix, in pieces that one kernel can see. Formulas: kernels.ts. One thread per element. */
import type { Kernels } from '../../../src/kernels/kernels.ts';
import type { Rows, Slot } from '../../../src/kernels/memory.ts';
import { slotLength } from '../../../src/kernels/memory.ts';
import type { Operand, Recorder, Scalar } from '../recorder.ts';
import { FLAT_INDEX, flatWorkgroups, read, write } from '../recorder.ts';

/** out = value, in `rows` of its first dimension, or everywhere */
export function fill(recorder: Recorder, { out, value, rows }: Parameters<Kernels['fill']>[0]): void {
  const isInt = out.dtype === 'int';
  const text = isInt ? 'bitcast<i32>(P.value)' : 'P.value';
  const scalar: Scalar = isInt ? value >>> 0 : { float: value };
  if (rows !== undefined) {
    elementwise(recorder, {
      label: 'fill',
      operands: { out: write(out) },
      rows,
      per: out,
      code: `store_out(i, ${text});`,
      scalars: { value: scalar },
    });
    return;
  }
  for (const { slot } of recorder.pieces(flat(out))) {
    const all = { begin: 0, end: slotLength(slot) };
    elementwise(recorder, {
      label: 'fill',
      operands: { out: write(slot) },
      rows: all,
      per: slot,
      code: `store_out(i, ${text});`,
      scalars: { value: scalar },
    });
  }
}

/** out += x */
export function add(recorder: Recorder, { x, out }: Parameters<Kernels['add']>[0]): void {
  pairwise(recorder, 'add', x, out, 'store_out(i, load_out(i) + load_x(i));');
}

/** out = x */
export function copy(recorder: Recorder, { x, out }: Parameters<Kernels['copy']>[0]): void {
  pairwise(recorder, 'copy', x, out, 'store_out(i, load_x(i));');
}

/** out = factor·out, in `rows` of its first dimension */
export function scale(recorder: Recorder, { out, factor, rows }: Parameters<Kernels['scale']>[0]): void {
  elementwise(recorder, {
    label: 'scale',
    operands: { out: write(out) },
    rows,
    per: out,
    code: 'store_out(i, P.factor * load_out(i));',
    scalars: { factor: { float: factor } },
  });
}

/** out = share·x + (1 − share)·out */
export function mix(recorder: Recorder, { x, share, out }: Parameters<Kernels['mix']>[0]): void {
  const code = `let share = load_share(0u);
  store_out(i, share * load_x(i) + (1.0 - share) * load_out(i));`;
  pairwise(recorder, 'mix', x, out, code, { share: read(share) });
}

function pairwise(
  recorder: Recorder,
  label: string,
  x: Slot,
  out: Slot,
  code: string,
  further: Readonly<Record<string, Operand>> = {},
): void {
  for (const from of recorder.pieces(flat(x))) {
    const whole = { ...flat(out), offset: out.offset + from.begin, shape: [from.end - from.begin] };
    for (const to of recorder.pieces(whole)) {
      const slot = { ...from.slot, offset: from.slot.offset + to.begin, shape: [to.end - to.begin] };
      const rows = { begin: 0, end: to.end - to.begin };
      elementwise(recorder, {
        label,
        operands: { x: read(slot), ...further, out: write(to.slot) },
        rows,
        per: to.slot,
        code,
        scalars: {},
      });
    }
  }
}

function flat(slot: Slot): Slot {
  return { ...slot, shape: [slotLength(slot)] };
}

export interface ElementwiseRequest {
  readonly label: string;
  readonly operands: Readonly<Record<string, Operand | undefined>>;
  readonly rows: Rows;
  /** A slot with as many elements a row as there are threads a row. */
  readonly per: Slot;
  readonly scalars?: Readonly<Record<string, Scalar>>;
  /** WGSL functions that `code` calls. */
  readonly helpers?: string;
  /** WGSL statements for element `i` = `r`·P.width + `column`. */
  readonly code: string;
}

/** Records a kernel of one thread per element of `rows`. */
export function elementwise(recorder: Recorder, request: ElementwiseRequest): void {
  const { label, operands, per, code, scalars = {}, helpers = '' } = request;
  const rows = recorder.rows(request.rows);
  const width = slotLength(per) / Math.max(1, per.shape[0] ?? 1);
  recorder.dispatch({
    label,
    operands,
    counts: { begin: rows.begin, end: rows.end },
    scalars: { width, ...scalars },
    code: /* wgsl */ `
${helpers}
${FLAT_INDEX}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) t: u32) {
  let i = begin() * P.width + flat_index(group, groups, t);
  if (i >= end() * P.width) { return; }
  let r = i / P.width;
  let column = i % P.width;
  ${code}
}`,
    workgroups: () => flatWorkgroups((rows.end.value - rows.begin.value) * width),
  });
}
