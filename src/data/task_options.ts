/** What a task is opened with. */
import type { AnswerFiles, Connect } from '../http/servers.ts';
import type { Codec } from '../text/codec.ts';
import type { DataFiles } from './datasets/data_files.ts';
import type { JudgeThreads } from './judging/judged.ts';
import type { Repeat } from './repeat.ts';
import type { AnyTaskDefinition } from './task.ts';
import type { ToolLimit } from './tools/tool_limit.ts';

/** How the server of a task is reached. */
export interface ServerOptions {
  /** Opens WebSockets; default: this engine's own. */
  readonly connect?: Connect | undefined;
  /** Sent as `Authorization: Bearer …`, which a browser's WebSocket cannot. */
  readonly token?: string | undefined;
  /** Answers of the run that is resumed. */
  readonly answers?: AnswerFiles | undefined;
}

/** How a task is opened, besides its knobs. */
export interface TaskOptions extends ToolLimit {
  /** Held-out problems to sample where the task cannot list them all. Default `HELD_OUT_SAMPLE`. */
  readonly heldOutSample?: number;
  /** Where its knobs are written, for messages. Default `task`. */
  readonly path?: string;
  /** The codec of the model that the run begins with; a pretrained one's is asked in words. Default: the task's own vocabulary. */
  readonly codec?: Codec | undefined;
  /** What the files of `task: {name: dataset}` are read from. */
  readonly files?: DataFiles | undefined;
  /** How the server of `task: {name: openenv}` is reached. */
  readonly openenv?: ServerOptions;
  /** The task that its knob `of` names, where no list has that. */
  readonly inner?: AnyTaskDefinition;
  /** How its functions are called many times in a row, where its host watches them. */
  readonly repeat?: Repeat;
  /** Threads for verdicts that take time; default: they are waited for, one by one. */
  readonly threads?: JudgeThreads | undefined;
}
