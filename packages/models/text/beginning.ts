/** What a tokenizer puts before every text that no chat template writes. */

type Json = Readonly<Record<string, unknown>>;

/** A token of tokenizer_config.json: its text, or an object that has it. */
export function tokenText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const content = typeof value === 'object' && value !== null ? (value as Json).content : undefined;
  return typeof content === 'string' ? content : undefined;
}

/**
 * The special tokens before a text, as transformers adds them: `add_bos_token` decides where the config says it, else the
 * post-processor of tokenizer.json. Llama 3 and many others say it in the post-processor alone.
 *
 * @returns their text; '' where there are none
 */
export function beginningOf(tokenizer: Json, config: Json): string {
  if (config.add_bos_token === true) return tokenText(config.bos_token) ?? '';
  if (config.add_bos_token === false) return '';
  return templates(tokenizer.post_processor).map(tokensBefore).join('');
}

/** Every TemplateProcessing of a post-processor, which may be a sequence of several. */
function templates(processor: unknown): Json[] {
  if (typeof processor !== 'object' || processor === null) return [];
  const { type, processors } = processor as Json;
  if (type === 'Sequence' && Array.isArray(processors)) return processors.flatMap(templates);
  return type === 'TemplateProcessing' ? [processor as Json] : [];
}

/** The special tokens of `single` up to the text itself. */
function tokensBefore({ single, special_tokens: known }: Json): string {
  const pieces: readonly Json[] = Array.isArray(single) ? single : [];
  const text = pieces.findIndex((piece) => 'Sequence' in piece);
  return pieces
    .slice(0, Math.max(0, text))
    .map(({ SpecialToken: special }) => {
      const { id } = (special ?? {}) as Json;
      const { tokens } = ((known as Json | undefined)?.[String(id)] ?? {}) as Json;
      return Array.isArray(tokens) ? tokens.join('') : '';
    })
    .join('');
}
