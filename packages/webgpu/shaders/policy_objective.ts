/**
 * The clipped policy objective with KL and entropy terms, and its derivatives. Formulas, shapes and papers:
 * kernels.ts (policyObjective). One thread per row.
 *
 * e^x − 1 − x and 1 − e^x of the KL term are series near 0, where the difference would cancel.
 */
import type { PolicyObjectiveArgs } from '../../../src/kernels/kernels.ts';
import { OBJECTIVE } from '../../../src/kernels/kernels.ts';
import type { Recorder } from '../recorder.ts';
import { read, write } from '../recorder.ts';
import { elementwise } from './elementwise.ts';
import { EXP } from './math.ts';

export function policyObjective(recorder: Recorder, args: PolicyObjectiveArgs): void {
  elementwise(recorder, {
    label: 'policyObjective',
    operands: {
      logprobs: read(args.logprobs),
      old_logprobs: read(args.oldLogprobs),
      ref_logprobs: read(args.refLogprobs),
      entropies: read(args.entropies),
      advantages: read(args.advantages),
      coefficients: read(args.coefficients),
      entropy_coefficients: read(args.entropyCoefficients),
      settings: read(args.settings),
      losses: write(args.losses),
      dLogprobs: write(args.dLogprobs),
      dEntropies: write(args.dEntropies),
    },
    rows: args.rows,
    per: args.losses,
    helpers: /* wgsl */ `
${EXP}
// e^x − 1 − x
fn exp_rest(x: f32) -> f32 {
  if (abs(x) > 0.5) { return exp_f32(x) - 1.0 - x; }
  var p = fma(x, 2.7557319e-6, 2.4801587e-5);
  p = fma(p, x, 1.9841270e-4);
  p = fma(p, x, 1.3888889e-3);
  p = fma(p, x, 8.3333333e-3);
  p = fma(p, x, 4.1666667e-2);
  p = fma(p, x, 1.6666667e-1);
  p = fma(p, x, 0.5);
  return p * x * x;
}`,
    code: /* wgsl */ `
  let entropy_coefficient = load_entropy_coefficients(r);
  let coefficient = load_coefficients(r);
  var loss = -entropy_coefficient * load_entropies(r);
  var slope = 0.0;
  if (coefficient != 0.0) { // a masked row's ratio may be infinite
    let advantage = load_advantages(r);
    let ratio = exp_f32(load_logprobs(r) - load_old_logprobs(r));
    let delta = load_settings(${OBJECTIVE.clipDelta}u);
    let is_capped = delta > 0.0 && ratio > delta;
    let low = 1.0 - load_settings(${OBJECTIVE.clipEpsilonLow}u);
    let high = 1.0 + load_settings(${OBJECTIVE.clipEpsilonHigh}u);
    let unclipped = select(ratio, delta, is_capped) * advantage;
    let clipped = clamp(ratio, low, high) * advantage;
    var term = -unclipped;
    var term_slope = select(-ratio * advantage, 0.0, is_capped);
    if (clipped < unclipped) { term = -clipped; term_slope = 0.0; }
    let kl_coef = load_settings(${OBJECTIVE.klCoef}u);
    if (kl_coef != 0.0) {
      let x = load_ref_logprobs(r) - load_logprobs(r);
      let rest = exp_rest(x);
      term += kl_coef * rest;
      term_slope -= kl_coef * (rest + x);
    }
    loss += coefficient * term;
    slope = coefficient * term_slope;
  }
  store_losses(r, loss);
  store_dLogprobs(r, slope);
  store_dEntropies(r, -entropy_coefficient);`,
  });
}
