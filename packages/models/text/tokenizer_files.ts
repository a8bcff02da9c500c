/** Files of a tokenizer, by the names that Hugging Face gives them. */

/** The chat template, where it is a file of its own. */
export const CHAT_TEMPLATE = 'chat_template.jinja';

/** Files that belong to a tokenizer: a model that was trained from this one is given away with them as they are. */
export const TOKENIZER_FILES = [
  'tokenizer.json',
  'tokenizer_config.json',
  CHAT_TEMPLATE,
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'merges.txt',
];
