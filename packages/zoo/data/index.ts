/** Tasks: problems, prompts, verifiers, splits and tokenizers. */

export {
  bindTask,
  type TaskConfig,
} from '../../../src/data/create_task.ts';
export type { DataFiles } from '../../../src/data/data_files.ts';
export type {
  BoundEnvironment,
  ComparedState,
  Environment,
  EnvironmentDefinition,
  EnvironmentStep,
  EpisodeState,
  EpisodeStep,
  KnownState,
  PlayedEpisode,
  PlayedTurn,
  StateFact,
  ToolCalls,
  TurnLimits,
} from '../../../src/data/environment.ts';
export { correct, judgeNumber, judgeText } from '../../../src/data/judge.ts';
export { type JudgeThreads, judgedTogether } from '../../../src/data/judging/judged.ts';
export { readKnobs, takeKnobs } from '../../../src/data/knobs.ts';
export type { RegisteredTask, TaskList } from '../../../src/data/registered_task.ts';
export type { SearchMove, SearchSpace } from '../../../src/data/search_text.ts';
export { SPLIT_VERSION, splitOf, splitPosition, TRAIN_SHARE } from '../../../src/data/split.ts';
export type {
  AnyTaskDefinition,
  AskedAnswer,
  Knobs,
  Mutant,
  Split,
  Style,
  Task,
  TaskCard,
  TaskDefinition,
  TaskItem,
  TaskLanguage,
  VerifyContext,
} from '../../../src/data/task.ts';
export type { TaskOptions } from '../../../src/data/task_options.ts';
export { oneTask, type TaskSet, type TaskShare, taskSet } from '../../../src/data/task_set.ts';
export type { Json } from '../../../src/options/json.ts';
export { choice, flag, integer, type KeyTable, number, options, text, type Values } from '../../../src/options/keys.ts';
export type { BrokenRule } from '../../../src/options/read.ts';
export {
  canonicalNumber,
  isNumber,
  type NumberReading,
  type NumberRules,
  readNumber,
  type Tolerance,
} from '../../../src/parsing/number.ts';
export type { Codec, Message } from '../../../src/text/codec.ts';
export type { Tokenizer } from '../../../src/text/tokenizer.ts';
export { characterTokenizer, type Vocabulary, wordTokenizer } from '../../../src/text/vocabulary_tokenizer.ts';
export { real, whole } from '../options/old_spellings.ts';
export { type ChoiceReading, readChoice, readTruth } from '../parsing/choice.ts';
export { type GridReading, type GridShape, readGrid } from '../parsing/grid.ts';
export { type Count, type Instruction, keepsInstruction } from '../parsing/instruction.ts';
export { type JsonReading, readJson } from '../parsing/json_value.ts';
export { type ListReading, readList, sameElements } from '../parsing/list.ts';
export { type MovesReading, type Rules, readMoves, type Simulation, simulate } from '../parsing/moves.ts';
export {
  type Formula,
  type FormulaReading,
  formulaParts,
  readFormula,
  truthTable,
} from '../parsing/propositional_logic.ts';
export { type AssignmentReading, readAssignment, readWord } from '../parsing/words.ts';
export {
  type CheckedSetting,
  type CheckTaskOptions,
  checkJudgedTask,
  checkTask,
  type TaskCheck,
} from './check/check_task.ts';
export { findingText, type TaskFinding } from './check/findings.ts';
export type { AskedProblem, KnownVerdicts, SecondChecker } from './check/setting.ts';
export { retried } from './derived/retry_task.ts';
export { type EnvironmentTask, environmentTask } from './environment_task.ts';
export { judgeGrid, judgeList, judgeNumbers, judgeTruth } from './judging/judge.ts';
export { type LineTask, lineTask } from './line_task.ts';
export { listMisses, type NearMisses, numberMisses, textMisses, truthMisses } from './near_misses.ts';
export { type FilledGrid, judgeFilledGrid } from './puzzle.ts';
export {
  type SearchKnobs,
  type SearchTask,
  searchKnobs,
  searchTask,
} from './search_task.ts';
export type { CallFormat, ToolCall } from './tools/call_formats.ts';
export {
  type EnvironmentClass,
  environmentFactory,
  type FactoryOptions,
  type FactoryRow,
} from './tools/environment_factory.ts';
export {
  type Tool,
  type ToolAnswer,
  type ToolArguments,
  type ToolParameter,
  type ToolParameters,
  type ToolValues,
  tool,
} from './tools/tool.ts';
export { type ToolEnvironment, type ToolState, toolEnvironment } from './tools/tool_environment.ts';
