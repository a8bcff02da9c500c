/** A rollout as plain JSON that a strategy keeps from step to step, and back: a float32 comes back from JSON as it was. */
import type { Json } from '../../../options/json.ts';
import type { Rollout } from '../../records.ts';

const REALS = ['logprobs', 'entropies', 'keptLogMass'] as const;
const PROMPTS = ['prompt', 'sampledUnder'] as const;

/** What is known of a rollout in the step that sampled it alone. */
const OF_ITS_STEP: readonly string[] = ['figures', 'tokenRewards', 'proximalLogprobs'] satisfies (keyof Rollout)[];

export function toPlain({
  tokens,
  labels,
  prompt,
  sampledUnder,
  logprobs,
  entropies,
  keptLogMass,
  ...rest
}: Rollout): Json {
  const plain = Object.entries(rest).filter(([name]) => !OF_ITS_STEP.includes(name));
  return {
    ...(Object.fromEntries(plain) as unknown as Readonly<Record<string, Json>>), // what is no array is plain data
    tokens: [...tokens],
    ...(labels && { labels: [...labels] }),
    ...(prompt && { prompt: [...prompt] }),
    ...(sampledUnder && { sampledUnder: [...sampledUnder] }),
    logprobs: [...logprobs],
    entropies: [...entropies],
    keptLogMass: [...keptLogMass],
  };
}

/** @throws TypeError where it is not what `toPlain` gave */
export function fromPlain(plain: Json): Rollout {
  const fields = plain as unknown as Rollout & { readonly labels?: readonly number[] };
  const { tokens, labels, verdict } = fields;
  const isWhole = REALS.every((name) => fields[name].length === tokens.length) && typeof verdict.reason === 'string';
  if (!isWhole || (labels && labels.length !== tokens.length)) throw new TypeError('a rollout of another form');
  const prompts = PROMPTS.flatMap((name) => (fields[name] ? [[name, Int32Array.from(fields[name])] as const] : []));
  return {
    ...fields,
    tokens: Int32Array.from(tokens),
    ...(labels && { labels: Uint8Array.from(labels) }),
    ...Object.fromEntries(prompts),
    logprobs: Float32Array.from(fields.logprobs),
    entropies: Float32Array.from(fields.entropies),
    keptLogMass: Float32Array.from(fields.keptLogMass),
  };
}
