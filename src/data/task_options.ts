/** Options for opening a task. */
import type { AnswerFiles, Connect } from '../http/servers.ts';
import type { Codec } from '../text/codec.ts';
import type { DataFiles } from './data_files.ts';
import type { JudgeThreads } from './judging/judged.ts';
import type { Repeat } from './repeat.ts';
import type { AnyTaskDefinition } from './task.ts';
import type { ToolLimit } from './tools/tool_limit.ts';

/** How the server of a task is reached. */
export interface ServerOptions {
  /** Opens WebSockets; default: this engine's own. */
  readonly connect?: Connect | undefined;
  /** Sent as `Authorization: Bearer …`, which a browser's WebSocket cannot do. */
  readonly token?: string | undefined;
  /** Answers of the run that is resumed. */
  readonly answers?: AnswerFiles | undefined;
}

/** Options for opening a task besides its knobs. */
export interface TaskOptions extends ToolLimit {
  /** Held-out problems to sample if the task cannot list them all. Default `HELD_OUT_SAMPLE`. */
  readonly heldOutSample?: number;
  /** Where its knobs are written, for messages. Default `task`. */
  readonly path?: string;
  /** The codec of the model that the run begins with; a pretrained one's is asked in words. Default: the task's own vocabulary. */
  readonly codec?: Codec | undefined;
  /** Files for `task: {name: dataset}`. */
  readonly files?: DataFiles | undefined;
  /** How the server of `task: {name: openenv}` is reached. */
  readonly openenv?: ServerOptions;
  /** The task that its knob `of` names, if no list has it. */
  readonly inner?: AnyTaskDefinition;
  /** How to call its functions many times in a row under its host's watch. */
  readonly repeat?: Repeat;
  /** Threads for verdicts that take time; default: verdicts are computed one by one. */
  readonly threads?: JudgeThreads | undefined;
}
