/** The tools over the Model Context Protocol on standard input and output, by its official SDK: an optional package. */
import { createRequire } from 'node:module';
import { ConfigError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/run/json.ts';
import { Body } from '../../serve/body.ts';
import type { AgentFolder } from './folder.ts';
import { AGENT_TOOLS } from './tools.ts';

const SDK = '@modelcontextprotocol/sdk';

interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError?: true;
}

/** What is used of the SDK. */
interface Sdk {
  readonly Server: new (
    info: { readonly name: string; readonly version: string },
    options: { readonly capabilities: JsonObject; readonly instructions: string },
  ) => SdkServer;
  readonly StdioServerTransport: new () => object;
  readonly ListToolsRequestSchema: object;
  readonly CallToolRequestSchema: object;
}

interface SdkServer {
  onclose?: () => void;
  setRequestHandler(schema: object, handler: (request: CallRequest, extra: { signal: AbortSignal }) => unknown): void;
  connect(transport: object): Promise<void>;
}

interface CallRequest {
  readonly params: { readonly name: string; readonly arguments?: JsonObject };
}

const INSTRUCTIONS =
  'Trains small language models by rewards that can be verified. A training takes minutes: start gives a run by name, ' +
  'status and log follow it. Begin with list, explain and dry_run. Files are those of the folder that the server was started in.';

/** Serves until its client is gone. @throws ConfigError with the line that installs the SDK, where it is not there */
export async function serveAgents(folder: AgentFolder, version: string): Promise<void> {
  const { Server, StdioServerTransport, ...requests } = await loadSdk();
  const server = new Server(
    { name: 'rlvr-train', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(requests.ListToolsRequestSchema, () => ({ tools: listedTools() }));
  server.setRequestHandler(requests.CallToolRequestSchema, ({ params }, { signal }) =>
    toolResult(params.name, params.arguments ?? {}, folder, signal),
  );
  const isClosed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', resolve);
  });
  await server.connect(new StdioServerTransport());
  await isClosed;
}

/** The tools, as MCP lists them. */
export function listedTools(): JsonObject[] {
  return Object.entries(AGENT_TOOLS).map(([name, { description, parameters, required = [], writes }]) => ({
    name,
    description,
    inputSchema: { type: 'object', properties: parameters, required, additionalProperties: false },
    annotations: { readOnlyHint: !writes, destructiveHint: false, openWorldHint: false },
  }));
}

/** What a tool gives, or in one message why it does not. Never rejects. */
export async function toolResult(
  name: string,
  given: JsonObject,
  folder: AgentFolder,
  signal: AbortSignal,
): Promise<ToolResult> {
  try {
    if (!Object.hasOwn(AGENT_TOOLS, name)) {
      throw new ConfigError('no-tool', `${name} — no such tool; there is ${Object.keys(AGENT_TOOLS).join(', ')}.`);
    }
    const { parameters, call } = AGENT_TOOLS[name];
    const body = new Body(given);
    body.ignore(...Object.keys(parameters));
    body.end();
    return { content: [{ type: 'text', text: await call(body, folder, signal) }] };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { content: [{ type: 'text', text }], isError: true };
  }
}

async function loadSdk(): Promise<Sdk> {
  try {
    createRequire(import.meta.url).resolve(`${SDK}/server/index.js`);
  } catch {
    const message = `${SDK} is an optional package and not installed; npm install ${SDK}, then start this again.`;
    throw new ConfigError('no-mcp', message);
  }
  const files = ['server/index.js', 'server/stdio.js', 'types.js'];
  const [server, stdio, types] = await Promise.all(files.map((file) => import(`${SDK}/${file}`) as Promise<object>));
  return { ...server, ...stdio, ...types } as Sdk;
}
