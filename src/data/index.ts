/** Tasks: problems, prompts, verifiers, splits and tokenizers. */
export type { Json } from '../options/json.ts';
export { choice, flag, type KeyTable, options, real, text, type Values, whole } from '../options/keys.ts';
export type { BrokenRule } from '../options/read.ts';
export type { Codec, Message } from '../text/codec.ts';
export type { Tokenizer } from '../text/tokenizer.ts';
export { characterTokenizer, type Vocabulary, wordTokenizer } from '../text/vocabulary_tokenizer.ts';
export {
  bindTask,
  createTask,
  createTasks,
  getTaskDefinition,
  type TaskConfig,
  type TaskOptions,
} from './create_task.ts';
export { type Environment, type EnvironmentStep, singleTurn } from './environment.ts';
export { readKnobs, takeKnobs } from './knobs.ts';
export { type AnyTaskDefinition, type RegisteredTask, registeredTask, registeredTasks } from './registry.ts';
export { SPLIT_VERSION, splitOf, splitPosition, TRAIN_SHARE } from './split.ts';
export type {
  Knobs,
  Mutant,
  Split,
  Task,
  TaskCard,
  TaskDefinition,
  TaskItem,
  TaskLanguage,
  VerifyContext,
} from './task.ts';
export { oneTask, type TaskSet, type TaskShare, taskSet } from './task_set.ts';
