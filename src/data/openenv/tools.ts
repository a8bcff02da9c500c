/**
 * MCP tools of an environment on a server: what it lists becomes what a model reads, a call that the policy writes becomes
 * an action, and what the tool gives becomes what the policy reads.
 *
 * @see openenv 0.10, openenv/core/env_server/mcp_types.py: CallToolAction, CallToolObservation
 */
import type { Message } from '../../text/codec.ts';
import { type CallFormat, callFormatOf, showsTools, toolsInWords } from '../tools/call_formats.ts';
import { readArguments, type Tool, type ToolParameter, toolSchema } from '../tools/tool.ts';
import type { Notation, Saying } from './actions.ts';
import { isMapping, type WireObservation } from './wire.ts';

/** A tool as the server lists it: all that is read of it. */
export type OfferedTool = Pick<Tool, 'name' | 'description' | 'parameters'>;

/** Characters of an error that a model reads in words. */
const ERROR_CHARACTERS = 120;
const TYPES: readonly string[] = ['string', 'integer', 'number', 'boolean'] satisfies ToolParameter['type'][];

/** Tools as MCP lists them; a parameter of another type than a plain value is taken for a text. Undefined: this is no list. */
export function offeredTools(listed: unknown): readonly OfferedTool[] | undefined {
  if (!Array.isArray(listed)) return undefined;
  return listed.filter(isMapping).map(({ name, description, inputSchema }) => {
    const { properties, required } = isMapping(inputSchema) ? inputSchema : {};
    const needed = Array.isArray(required) ? required : [];
    const parameters = Object.entries(isMapping(properties) ? properties : {}).map(([key, schema]) => {
      const { type } = isMapping(schema) ? schema : {};
      const known = TYPES.includes(String(type)) ? (type as ToolParameter['type']) : 'string'; // it is one of them
      return [key, { type: known, ...(!needed.includes(key) && { optional: true as const }) }] as const;
    });
    return { name: String(name), description: String(description), parameters: Object.fromEntries(parameters) };
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
    action(text) {
      const call = readCall(format, text, tools);
      if ('flaw' in call) return { refused: flawed(call.flaw) };
      return { fields: { type: 'call_tool', tool_name: call.name, arguments: call.values } };
    },
    saying({ observation }) {
      const { tool_name: name, result, error } = observation;
      if (typeof name !== 'string') return undefined;
      const from = { from: name };
      if (isMapping(error)) return { ...flawed(String(error.message)), ...from };
      return { observation: resultText(result), ...from };
    },
  };
}

/** The one call of an action, or what is wrong with it. */
function readCall(
  format: CallFormat,
  text: string,
  tools: readonly OfferedTool[],
):
  | { readonly name: string; readonly values: Readonly<Record<string, string | number | boolean>> }
  | { readonly flaw: string } {
  const [call, second] = format.read(text);
  if (call === undefined) return { flaw: 'this calls no tool' };
  if (second !== undefined) return { flaw: 'one call at a time' };
  if (call.flaw !== undefined) return { flaw: call.flaw };
  const called = tools.find(({ name }) => name === call.name);
  if (called === undefined) return { flaw: `no such tool; there is ${tools.map(({ name }) => name).join(', ')}` };
  const read = readArguments(called, call.given);
  return read.ok ? { name: call.name, values: read.values } : { flaw: read.reason };
}

/** The texts of a result of MCP; its JSON where it has none. */
function resultText(result: WireObservation['observation'][string]): string {
  if (typeof result === 'string') return result;
  const content = isMapping(result) && Array.isArray(result.content) ? result.content : undefined;
  const texts = content?.flatMap((part) => (isMapping(part) && typeof part.text === 'string' ? [part.text] : []));
  return texts === undefined ? JSON.stringify(result) : texts.join('\n');
}
