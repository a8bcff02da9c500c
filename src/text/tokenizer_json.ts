/** The files that Hugging Face's libraries read a tokenizer from, for the closed vocabularies of this package. */

type Json = Readonly<Record<string, unknown>>;

export interface BpeModel {
  readonly vocab: Readonly<Record<string, number>>;
  readonly merges: readonly unknown[];
  /** Whether a whole piece is looked up first; absent: not said. */
  readonly ignoreMerges?: boolean;
}

export interface ClosedTokenizer {
  /** Ids from 0 on. */
  readonly specials: readonly string[];
  readonly preTokenizer: Json | null;
  readonly decoder: Json | null;
  readonly model: BpeModel;
}

/** `model` of tokenizer.json. */
export function bpeModel({ vocab, merges, ignoreMerges }: BpeModel): Record<string, unknown> {
  return {
    type: 'BPE',
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: false,
    byte_fallback: false,
    ...(ignoreMerges !== undefined && { ignore_merges: ignoreMerges }),
    vocab,
    merges,
  };
}

/** The pre-tokenizer for which a piece is what the pattern matches. */
export function splitAt(pattern: string): Json {
  return { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
}

/** A special token, an entry of `added_tokens`. */
export function addedToken(content: string, id: number): Json {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
}

/** tokenizer.json */
export function tokenizerJSON({ specials, preTokenizer, decoder, model }: ClosedTokenizer): Record<string, unknown> {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map(addedToken),
    normalizer: null,
    pre_tokenizer: preTokenizer,
    post_processor: null,
    decoder,
    model: bpeModel(model),
  };
}

/** tokenizer_config.json */
export function tokenizerConfigJSON(padToken: string, eosToken: string): Record<string, unknown> {
  return {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: padToken,
    eos_token: eosToken,
    clean_up_tokenization_spaces: false,
    add_bos_token: false,
    add_eos_token: false,
    // Some versions add token_type_ids by themselves, which these models do not take.
    model_input_names: ['input_ids', 'attention_mask'],
  };
}
