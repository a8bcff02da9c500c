/**
 * MCP tools of an environment on a server: what it lists becomes what a model reads, a call that the policy writes becomes
 * an action, and what the tool gives becomes what the policy reads.
 *
 * @see openenv 0.10, openenv/core/env_server/mcp_types.py: CallToolAction, CallToolObservation
 */
import type { Message } from '../../../../src/text/codec.ts';
import { callFormatOf, type ReadCall, showsTools, toolsInWords } from '../tools/call_formats.ts';
import { readArguments, type Tool, type ToolValues, toolSchema } from '../tools/tool.ts';
import type { Notation, Saying } from './actions.ts';
import { offeredParameters } from './parameters.ts';
import { isMapping, type WireObservation } from './wire.ts';

/** A tool as the server lists it: all that is read of it. */
export type OfferedTool = Pick<Tool, 'name' | 'description' | 'parameters'>;

/** Characters of an error that a model reads in words. */
const ERROR_CHARACTERS = 120;
/** What OpenEnv calls a wrong call; any other error is the tool's own. */
const WRONG_CALLS = ['tool_not_found', 'invalid_args'];

/** Tools as MCP lists them. Undefined: this is no list. */
export function offeredTools(listed: unknown): readonly OfferedTool[] | undefined {
  if (!Array.isArray(listed)) return undefined;
  return listed.filter(isMapping).map(({ name, description, inputSchema }) => {
    return { name: String(name), description: String(description), parameters: offeredParameters(inputSchema) };
  });
}

/** What a pretrained model reads of the tools: its chat template shows them, or a system message does. */
export function introduction(
  tools: readonly OfferedTool[],
  template: string | undefined,
): { readonly system?: string; readonly tools?: Message['tools'] } {
  if (showsTools(template)) return { tools: tools.map(toolSchema) };
  return { system: toolsInWords(tools as readonly Tool[]) }; // of which it reads the cards alone
}

export interface ToolNotation {
  readonly tools: readonly OfferedTool[];
  /** The chat template, where a pretrained model calls. */
  readonly template: string | undefined;
  readonly isInWords: boolean;
  /** What a call that is none is answered with in a closed vocabulary. */
  readonly malformed: string;
}

export function toolNotation({ tools, template, isInWords, malformed }: ToolNotation): Notation {
  const format = callFormatOf(isInWords ? template : undefined);
  const flawed = (flaw: string): Saying => ({
    observation: isInWords ? `error: ${flaw}`.slice(0, ERROR_CHARACTERS) : malformed,
    illegal: true,
  });
  return {
    refused: flawed('the environment takes no such call'),
    joint: isInWords ? '\n' : ' ',
    actions(text) {
      const calls = format.read(text);
      if (calls.length === 0) return [{ refused: flawed('this calls no tool') }];
      return calls.map((written) => {
        const call = readCall(written, tools);
        if ('flaw' in call) return { refused: flawed(call.flaw) };
        return { fields: { type: 'call_tool', tool_name: call.name, arguments: call.values } };
      });
    },
    saying({ observation }) {
      const { tool_name: name, result, error } = observation;
      if (typeof name !== 'string') return undefined;
      const from = { from: name };
      if (isMapping(error)) {
        const { illegal, ...said } = flawed(String(error.message));
        return { ...said, ...(WRONG_CALLS.includes(String(error.error_type)) && { illegal }), ...from };
      }
      return { observation: resultText(result), ...from };
    },
  };
}

/** A call, or what is wrong with it. */
function readCall(
  call: ReadCall,
  tools: readonly OfferedTool[],
): { readonly name: string; readonly values: ToolValues } | { readonly flaw: string } {
  if (call.flaw !== undefined) return { flaw: call.flaw };
  const called = tools.find(({ name }) => name === call.name);
  if (called === undefined) return { flaw: `no such tool; there is ${tools.map(({ name }) => name).join(', ')}` };
  const read = readArguments(called, call.given, call.areTexts);
  return read.ok ? { name: call.name, values: read.values } : { flaw: read.reason };
}

/** The texts of a result of MCP; its JSON where it has none. */
function resultText(result: WireObservation['observation'][string]): string {
  if (typeof result === 'string') return result;
  const content = isMapping(result) && Array.isArray(result.content) ? result.content : undefined;
  const texts = content?.flatMap((part) => (isMapping(part) && typeof part.text === 'string' ? [part.text] : []));
  return texts === undefined ? JSON.stringify(result) : texts.join('\n');
}
