/**
 * What a pre-tokenizer makes of a section of text, kept: the sections of a chat between its control tokens are mostly those
 * of the chat before, as the tools of a system message are, and cutting them up takes most of the time of encoding.
 */

/** A pre-tokenizer of @huggingface/tokenizers: where a section is the first of its text, it may begin otherwise. */
export type PreTokenizer = (text: string, options: { readonly section_index: number }) => readonly string[];

/** A few megabytes at most: all of it goes where more characters than these are kept. */
const MOST_CHARACTERS = 1_000_000;

/** The same pre-tokenizer, which remembers. */
export function keepingPieces(preTokenize: PreTokenizer): PreTokenizer {
  const first = new Map<string, readonly string[]>();
  const further = new Map<string, readonly string[]>();
  let characters = 0;
  return (text, options) => {
    const kept = options.section_index === 0 ? first : further;
    const known = kept.get(text);
    if (known !== undefined) return known;
    const pieces = preTokenize(text, options);
    characters += text.length;
    if (characters > MOST_CHARACTERS) {
      first.clear();
      further.clear();
      characters = text.length;
    }
    kept.set(text, pieces);
    return pieces;
  };
}
