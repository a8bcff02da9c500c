/** Mean negative log-likelihood of a term's own texts, over the tokens of them that carry a loss. */
import type { LossTerm, TrainedText } from '../../../../../src/methods/points.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';

type Added = Parameters<NonNullable<LossTerm['addTexts']>>;

/** The mean of one optimizer step after the other. */
export interface MeanNll {
  /** The texts of a step. */
  begin<Texts extends readonly TrainedText[]>(texts: Texts): Texts;
  /** Adds the losses of some of them, and the derivatives: weight/tokens each. */
  add(texts: Added[0], gradients: Added[1], weight: number): void;
  /** What was found, in nats, under this name; undefined where there was no text. */
  mean(name: string): Readonly<Record<string, number>> | undefined;
}

export function meanNll(): MeanNll {
  let [tokens, nll] = [0, 0];
  return {
    begin(texts) {
      tokens = texts.reduce((sum, text) => sum + lossTokensOf(text), 0);
      nll = 0;
      return texts;
    },
    add(texts, gradients, weight) {
      texts.forEach(({ logprobs, labels }, i) => {
        const { losses, dLogprobs } = gradients[i];
        for (let t = 0; t < logprobs.length; t++) {
          if (labels?.[t] === TOKEN.given) continue;
          losses[t] -= (weight / tokens) * logprobs[t];
          dLogprobs[t] -= weight / tokens;
          nll -= logprobs[t] / tokens;
        }
      });
    },
    mean: (name) => (tokens === 0 ? undefined : { [name]: nll }),
  };
}

function lossTokensOf({ tokens, labels }: TrainedText): number {
  return labels === undefined ? tokens.length : labels.reduce((n, label) => n + (label === TOKEN.given ? 0 : 1), 0);
}
