/** Tasks: problems, prompts, verifiers, splits and tokenizers. */
export type { Json } from '../options/json.ts';
export { choice, flag, type KeyTable, options, real, text, type Values, whole } from '../options/keys.ts';
export type { BrokenRule } from '../options/read.ts';
export { bindTask, createTask, getTaskDefinition, type TaskConfig, type TaskOptions } from './create_task.ts';
export { readKnobs, takeKnobs } from './knobs.ts';
export { type AnyTaskDefinition, type RegisteredTask, registeredTask, registeredTasks } from './registry.ts';
export { SPLIT_VERSION, splitOf, splitPosition, TRAIN_SHARE } from './split.ts';
export type { Knobs, Mutant, Split, Task, TaskCard, TaskDefinition, TaskItem, VerifyContext } from './task.ts';
export type { Tokenizer } from './tokenizer.ts';
export { characterTokenizer, type Vocabulary, wordTokenizer } from './vocabulary_tokenizer.ts';
