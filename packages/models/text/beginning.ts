/** What a tokenizer puts before every text that no chat template writes. */
import { specialsAround } from './tokenizer/post_processor.ts';

type Json = Readonly<Record<string, unknown>>;

/** A token of tokenizer_config.json: its text, or an object that has it. */
export function tokenText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const content = typeof value === 'object' && value !== null ? (value as Json).content : undefined;
  return typeof content === 'string' ? content : undefined;
}

/**
 * The special tokens before a text, as transformers adds them: the post-processor of tokenizer.json decides, and where there
 * is none, `add_bos_token` of the config.
 *
 * @returns their text; '' where there are none
 */
export function beginningOf(
  { post_processor: processor }: Json,
  { add_bos_token: adds, bos_token: bos }: Json,
): string {
  if ((processor ?? null) === null) return adds === true ? (tokenText(bos) ?? '') : '';
  return specialsAround(processor)
    .before.map(({ text }) => text)
    .join('');
}
