/**
 * One token per row by inverse CDF over the kept tokens. Formulas and shapes: kernels.ts (sample); the filters' order:
 * reference/sample.ts. One workgroup of 256 per row of logits; nothing is sorted.
 *
 * A filter keeps the tokens above a threshold of (logit, index): kept are those with a larger logit, and those with
 * the same one up to an index. Both are found by bisection, over the 32 bits of the logit in an order-preserving form
 * and over the indices, each step a count or a sum over the row.
 *
 * Cost: about 5 passes over V a row, and up to 64 more for each of top-k and top-p.
 */
import type { SampleArgs } from '../../../src/kernels/kernels.ts';
import { SAMPLING } from '../../../src/kernels/kernels.ts';
import type { Recorder } from '../recorder.ts';
import { read, write } from '../recorder.ts';
import { chunkWork, chunkWorkgroups, ROW_STATISTICS, recordLogits, vocabularyOf } from './logits.ts';

export function sample(recorder: Recorder, args: SampleArgs): void {
  const vocab = vocabularyOf(args.weight);
  recordLogits(recorder, args, (chunk) => {
    recorder.dispatch({
      label: 'sample',
      operands: {
        logits: read(chunk.logits),
        sampling: read(args.sampling),
        key: read(args.key),
        rollout_numbers: read(args.rolloutNumbers),
        counters: read(args.counters),
        tokens: write(args.tokens),
        logprobs: write(args.logprobs),
        entropies: write(args.entropies),
        kept_log_mass: write(args.keptLogMass),
      },
      counts: { begin: chunk.rows.begin, end: chunk.rows.end },
      scalars: { vocab },
      reductions: 256,
      code: SAMPLE,
      workgroups: () => chunkWorkgroups(chunk),
      work: () => chunkWork(chunk, 64),
    });
  });
}

/** WGSL: the thresholds of the filters. Every loop bound is uniform over the workgroup. */
const FILTERS = /* wgsl */ `
// Larger for larger u, as unsigned integers.
fn order_of(u: f32) -> u32 {
  let bits = bitcast<u32>(u + 0.0);
  return select(bits | 0x80000000u, ~bits, bits >> 31u == 1u);
}

// Tokens that the filters so far keep: order above \`order\`, or equal to it and index at most \`index\`.
struct Threshold { order: u32, index: u32 }
fn is_kept(kept: Threshold, v: u32) -> bool {
  let order = order_of(tempered(v));
  return order > kept.order || (order == kept.order && v <= kept.index);
}

var<workgroup> whole: f32;
// One value for all, in a form that the compiler knows to be the same for all.
fn shared_value(t: u32, value: f32) -> f32 {
  if (t == 0u) { whole = value; }
  return workgroupUniformLoad(&whole);
}

// Number (by_mass false) or mass (true) of the tokens that both thresholds keep.
fn amount(t: u32, kept: Threshold, also: Threshold, largest: f32, by_mass: bool) -> f32 {
  var part = 0.0;
  for (var v = t; v < P.vocab; v += 256u) {
    if (is_kept(kept, v) && is_kept(also, v)) { part += select(1.0, exp_f32(tempered_above(v, largest)), by_mass); }
  }
  return shared_value(t, workgroup_sum(t, part));
}

// Of the kept tokens, the shortest prefix, largest first and lower index first, whose amount reaches \`wanted\`: a
// number of tokens, or a share of the mass of all. One loop, so that \`amount\` is compiled once: first all, then the
// threshold's 32 bits, then how many of those that equal it, from the lowest index on.
fn prefix(t: u32, kept: Threshold, wanted: f32, largest: f32, by_mass: bool) -> Threshold {
  var goal = wanted;
  var order = 0u;
  var index = 0u;
  let index_bits = 32u - countLeadingZeros(P.vocab);
  for (var step = 0u; step <= 32u + index_bits; step++) {
    var trial = Threshold(0u, 0xffffffffu);
    let order_bit = select(0u, 0x80000000u >> (step - 1u), step >= 1u && step <= 32u);
    let index_bit = select(0u, 1u << (32u + index_bits - step), step > 32u);
    if (order_bit != 0u) { trial = Threshold(order | order_bit, 0xffffffffu); }
    if (index_bit != 0u) { trial = Threshold(order, min(index + index_bit, P.vocab) - 1u); }
    let reached = amount(t, kept, trial, largest, by_mass);
    if (step == 0u && by_mass) { goal = wanted * reached; }
    if (order_bit != 0u && reached >= goal) { order |= order_bit; }
    if (index_bit != 0u && index + index_bit <= P.vocab && reached < goal) { index += index_bit; }
  }
  return Threshold(order, index);
}`;

/**
 * Philox4x32-10 in WGSL; the TypeScript original and its source: src/kernels/philox.ts. WGSL has no 64-bit product: the high
 * word comes from 16-bit halves.
 */
const PHILOX = /* wgsl */ `
fn multiply_high(a: u32, b: u32) -> u32 {
  let a_low = a & 0xffffu;
  let a_high = a >> 16u;
  let b_low = b & 0xffffu;
  let b_high = b >> 16u;
  let middle = a_high * b_low + ((a_low * b_low) >> 16u);
  let carry = a_low * b_high + (middle & 0xffffu);
  return a_high * b_high + (middle >> 16u) + (carry >> 16u);
}

// The first word of the block at this counter.
fn philox(counter: vec4u, key: vec2u) -> u32 {
  var c = counter;
  var k = key;
  for (var round = 0u; round < 10u; round++) {
    c = vec4u(
      multiply_high(0xcd9e8d57u, c.z) ^ c.y ^ k.x,
      0xcd9e8d57u * c.z,
      multiply_high(0xd2511f53u, c.x) ^ c.w ^ k.y,
      0xd2511f53u * c.x,
    );
    k += vec2u(0x9e3779b9u, 0xbb67ae85u);
  }
  return c.x;
}`;

const SAMPLE = /* wgsl */ `
${ROW_STATISTICS}
${PHILOX}
${FILTERS}
var<workgroup> block_mass: array<f32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) t: u32) {
  let r = begin() + group.x;
  row_at = group.x * P.vocab;
  let temperature = shared_value(t, load_sampling(${SAMPLING.temperature}u));
  let is_greedy = temperature == 0.0;
  inverse_temperature = 1.0 / select(temperature, 1.0, is_greedy);
  let top_k = select(shared_value(t, load_sampling(${SAMPLING.topK}u)), 1.0, is_greedy);
  let top_p = select(shared_value(t, load_sampling(${SAMPLING.topP}u)), 1.0, is_greedy);
  let min_p = select(load_sampling(${SAMPLING.minP}u), 0.0, is_greedy);
  let found = row_statistics(t);
  let largest = shared_value(t, found.largest);

  var kept = Threshold(0u, 0xffffffffu);
  for (var filter_number = 0u; filter_number < 2u; filter_number++) {
    let by_mass = filter_number == 1u;
    let wanted = select(top_k, top_p, by_mass);
    if (select(wanted <= 0.0 || wanted >= f32(P.vocab), wanted >= 1.0, by_mass)) { continue; }
    let next = prefix(t, kept, wanted, largest, by_mass);
    // The earlier threshold still holds where the two have the same logit.
    kept = Threshold(max(kept.order, next.order), select(next.index, min(kept.index, next.index), kept.order == next.order));
  }

  // Masses by blocks of neighbouring tokens, then blocks in order: what is kept, and everything.
  let block = (P.vocab + 255u) / 256u;
  let block_end = min(P.vocab, (t + 1u) * block);
  var kept_mass = 0.0;
  var full_mass = 0.0;
  for (var v = t * block; v < block_end; v++) {
    let mass = exp_f32(tempered_above(v, largest));
    full_mass += mass;
    if (is_kept(kept, v) && mass >= min_p) { kept_mass += mass; }
  }
  block_mass[t] = kept_mass;
  let all_mass = workgroup_sum(t, full_mass);
  let total = workgroup_sum(t, kept_mass);
  if (t != 0u) { return; }

  let counter = vec4u(u32(load_counters(r)), u32(load_rollout_numbers(2u * r)), u32(load_rollout_numbers(2u * r + 1u)), 0u);
  let word = philox(counter, vec2u(u32(load_key(0u)), u32(load_key(1u))));
  let goal = f32(word >> 8u) * 5.9604644775390625e-8 * total;
  // The first block at whose end the running mass exceeds the goal, else the last one with any mass.
  var reached = 0.0;
  var before = 0.0;
  var chosen = 0u;
  for (var b = 0u; b < 256u; b++) {
    if (block_mass[b] == 0.0) { continue; }
    chosen = b;
    before = reached;
    reached += block_mass[b];
    if (reached > goal) { break; }
  }
  var token = 0u;
  reached = before;
  for (var v = chosen * block; v < min(P.vocab, (chosen + 1u) * block); v++) {
    let mass = exp_f32(tempered_above(v, largest));
    if (mass == 0.0 || mass < min_p || !is_kept(kept, v)) { continue; }
    token = v;
    reached += mass;
    if (reached > goal) { break; }
  }
  store_tokens(r, i32(token));
  store_logprobs(r, tempered_above(token, found.log_sum_exp));
  store_entropies(r, found.entropy);
  store_kept_log_mass(r, select(log_f32(total / all_mass), 0.0, is_greedy || total == all_mass));
}`;
