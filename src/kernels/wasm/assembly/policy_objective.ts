// policyObjective. Formula: kernels.ts. A few thousand rows of scalars, in float64 and rounded once.
import { address, integer } from './arguments';
import { claim, grainOf } from './threads';

// @ts-ignore: decorator
@inline
function value(argument: i32, r: i32): f64 {
  return <f64>load<f32>(address(argument) + (<usize>r << 2));
}

/**
 * arguments: begin, end, logprobs, oldLogprobs, refLogprobs, entropies, advantages, coefficients,
 * entropyCoefficients, settings, losses, dLogprobs, dEntropies
 */
export function policyObjective(): void {
  const begin = integer(0);
  const end = integer(1);
  const grain = grainOf(end - begin, 64);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) objectiveRow(r);
  }
}

function objectiveRow(r: i32): void {
  const low = value(9, 0);
  const high = value(9, 1);
  const delta = value(9, 2);
  const klCoef = value(9, 3);
  const coefficient = value(7, r);
  const entropyCoefficient = value(8, r);
  const logprob = value(2, r);
  const advantage = value(6, r);
  const ratio = Math.exp(logprob - value(3, r));
  const clipped = min(max(ratio, 1 - low), 1 + high);
  const bounded = delta > 0 ? min(ratio, delta) : ratio;
  const plainWins = bounded * advantage <= clipped * advantage;
  let loss = plainWins ? -bounded * advantage : -clipped * advantage;
  // Where the clip or delta binds, the value is constant in the ratio.
  const moves = plainWins && (delta <= 0 || ratio <= delta);
  let slope: f64 = moves ? -ratio * advantage : 0;
  if (klCoef != 0) {
    const x = value(4, r) - logprob;
    const e = Math.exp(x);
    loss += klCoef * (e - x - 1);
    slope += klCoef * (1 - e);
  }
  const masked = coefficient == 0;
  const at = <usize>r << 2;
  const bonus = entropyCoefficient == 0 ? 0 : entropyCoefficient * value(5, r);
  store<f32>(address(10) + at, <f32>((masked ? 0 : coefficient * loss) - bonus));
  store<f32>(address(11) + at, masked ? 0 : <f32>(coefficient * slope));
  store<f32>(address(12) + at, <f32>-entropyCoefficient);
}
