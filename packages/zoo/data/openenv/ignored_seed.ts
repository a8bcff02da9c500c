/**
 * Whether an environment ignores the seed of its reset: then what is held out is what is trained on. Seeds of both splits
 * that reset answers alike are compared by a few actions, as what differs may be hidden.
 */
import { PluginError } from '../../../../src/errors.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { ValueType } from '../tools/tool.ts';
import type { ActionFields } from './actions.ts';
import { ActionRefused, ConnectionLost, shown } from './faults.ts';
import type { OpenEnvServer } from './server.ts';
import type { OfferedTool } from './tools.ts';

/** Pairs of a held-out and a training seed that are compared, at most. */
const MOST_PAIRS = 8;
/** What is tried, in this order, until the episode ends. */
const TRIED = ['3', '1', '50'];

/** Why held-out problems are those that are trained on; undefined where they are not, as far as trying shows. */
export async function ignoredSeed(server: OpenEnvServer): Promise<string | undefined> {
  try {
    return await compared(server);
  } catch (error) {
    // The first episode says better what is wrong.
    if (error instanceof ConnectionLost || error instanceof PluginError) return undefined;
    throw error;
  }
}

async function compared(server: OpenEnvServer): Promise<string | undefined> {
  const { problems, knobs, access } = server;
  const trained = new Map<string, number[]>();
  for (const [seed, text] of problems.entries()) {
    if (seed >= knobs.held_out) trained.set(text, [...(trained.get(text) ?? []), seed]);
  }
  const shared = [...problems.keys()].filter((seed) => seed < knobs.held_out && trained.has(problems[seed]));
  if (shared.length === 0) return undefined;
  const known = new Map<number, string>();
  const told = async (seed: number): Promise<string> => {
    const said = known.get(seed) ?? (await toldOf(server, seed));
    known.set(seed, said);
    return said;
  };
  for (let pair = 0; pair < MOST_PAIRS; pair++) {
    const held = shared[pair % shared.length];
    const alike = trained.get(problems[held]) ?? [];
    const other = alike[(pair + Math.floor(pair / shared.length)) % alike.length];
    if ((await told(held)) !== (await told(other))) return undefined;
  }
  const tried = actionsOf(server).length === 0 ? '' : ', and the same to what was tried after it';
  return (
    `OpenEnv server ${access.address}: for ${shared.length} of ${knobs.held_out} held-out seeds its reset says what it says ` +
    `for a training seed${tried}; held-out accuracy is then that of problems that are trained on: draw the problem from the ` +
    'seed of reset, or change held_out and train'
  );
}

/** What an environment says to some actions after reset of a seed. @throws PluginError, ConnectionLost */
async function toldOf(server: OpenEnvServer, seed: number): Promise<string> {
  const { session } = await server.begun(seed, () => server.session());
  const said: unknown[] = [];
  try {
    for (const fields of actionsOf(server).slice(0, server.knobs.max_turns)) {
      const answer = await session.step(fields).catch((error: unknown) => {
        if (!(error instanceof ActionRefused)) throw error;
        return undefined;
      });
      said.push(answer && server.read(answer, `${shown(fields)} in the episode of seed ${seed}`));
      if (answer?.done) break;
    }
  } catch (error) {
    session.close();
    throw error;
  }
  server.free(session);
  return JSON.stringify(said);
}

/** Values of a type, for a call that only probes. */
const SOME: Readonly<Record<ValueType, Json>> = {
  string: '1',
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

function someArguments({ parameters }: OfferedTool): Record<string, Json> {
  const given = Object.entries(parameters).map(([key, { type, enum: words }]) => {
    const first = typeof type === 'string' ? type : type[0];
    return [key, words !== undefined && first === 'string' ? words[0] : SOME[first]] as const;
  });
  return Object.fromEntries(given);
}

/** The form of a whole action is unknown. */
function actionsOf({ knobs: { action, action_type }, tools }: OpenEnvServer): readonly ActionFields[] {
  switch (action_type) {
    case 'json':
      return [];
    case 'tool':
      return tools.map((tool) => ({ type: 'call_tool', tool_name: tool.name, arguments: someArguments(tool) }));
    case 'text':
      return TRIED.map((text) => ({ [action]: text }));
    default:
      return TRIED.map((text) => ({ [action]: Number(text) }));
  }
}
