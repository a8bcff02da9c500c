/** `--json`: one object per event on standard output, and nothing else there. Metrics have the names of metrics.jsonl. */
import { resolvedTree } from '../../config/dump.ts';
import { evaluationMetrics } from '../../grpo/metrics.ts';
import { countParameters } from '../../model/parameters.ts';
import type { Fingerprint } from '../../run/fingerprint/fingerprint.ts';
import { encodeLogJson, type JsonObject } from '../../run/json.ts';
import { resumeCommand } from '../../run/resume_command.ts';
import type { SessionEvent } from '../../run/session.ts';
import type { Display, Shown } from './display.ts';
import { printJson } from './output.ts';

export class JsonDisplay implements Display {
  readonly #shown: Shown;

  constructor(shown: Shown) {
    this.#shown = shown;
    // A user's reward function that prints must not break the stream.
    console.log = console.info = console.debug = console.error;
  }

  opening(fingerprint: Fingerprint, plannedBytes: ReadonlyMap<string, number>): void {
    const { run, directory } = this.#shown;
    write({
      event: 'start',
      output_dir: directory,
      task: run.engine.tasks.name,
      held_out_problems: run.engine.tasks.heldOutItems().length,
      held_out_dropped: run.engine.tasks.droppedHeldOut?.() ?? 0,
      parameters: countParameters(run.engine.policy.parameters),
      memory_bytes: Object.fromEntries(plannedBytes),
      fingerprint,
      config: resolvedTree(run.config),
    });
  }

  handle(event: SessionEvent): void {
    const shown = eventObject(event, this.#shown.directory);
    if (shown !== undefined) write(shown);
  }

  say(message: string): void {
    write({ event: 'note', message });
  }

  close(): void {}
}

/** Undefined if another event already reports it. */
function eventObject(event: SessionEvent, directory: string): object | undefined {
  switch (event.type) {
    case 'stage':
      return { event: 'stage', stage: event.stage, index: event.index, step: event.step, max_steps: event.maxSteps };
    case 'step':
    case 'batch':
      return { event: event.type, ...event.metrics };
    case 'rollouts': {
      const groups = event.groups.length;
      return { event: 'rollouts', step: event.step, groups, dead: event.groups.filter(({ dead }) => dead).length };
    }
    case 'evaluation': {
      const { stage, step, moment, evaluation } = event;
      return { event: 'evaluation', stage, step, moment, ...evaluationMetrics(evaluation) };
    }
    case 'diagnosis':
      return { event: 'diagnosis', step: event.step, ...event.diagnosis };
    case 'note':
      return { event: 'note', message: event.message };
    case 'resumed':
      return { event: 'resumed', checkpoint: event.checkpoint, wall_seconds: event.wallSeconds };
    case 'checkpoint':
      return { event: 'checkpoint', name: event.name };
    case 'stopped':
      return {
        event: 'stopped',
        step: event.step,
        is_saved: event.isSaved,
        ...(event.again && { done_again: event.again }),
        resume: resumeCommand(directory),
      };
    case 'finished':
      return { event: 'finished', ...event.summary };
    case 'end':
      return undefined;
  }
}

function write(object: object): void {
  printJson(encodeLogJson(object as JsonObject)); // plain data, all of it
}
