/**
 * The config of a NATS server for a fleet: JetStream, and a user for each role with no right that it does not need. A worker can
 * take tasks, read weights and answer; it can neither see what others answer, nor change what the learner has put there.
 */
import { inboxPrefix, type Role, TASKS, WEIGHTS } from './nats_names.ts';

/** Rights of a user: subjects that it may publish and subscribe to. */
interface Rights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

const LEARNER: Rights = {
  publish: [
    'rlvr.>',
    '$JS.API.INFO',
    ...[TASKS, WEIGHTS].flatMap((stream) => [
      `$JS.API.STREAM.INFO.${stream}`,
      `$JS.API.STREAM.CREATE.${stream}`,
      `$JS.API.STREAM.PURGE.${stream}`,
      `$JS.API.STREAM.MSG.DELETE.${stream}`,
    ]),
    `$JS.API.CONSUMER.CREATE.${TASKS}.>`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${TASKS}.>`,
    `$JS.API.CONSUMER.INFO.${TASKS}.*`,
    `$JS.API.CONSUMER.DELETE.${TASKS}.*`,
    // Replies to workers, and to another learner of the same run.
    `${inboxPrefix('worker')}.>`,
    `${inboxPrefix('visitor')}.>`,
    `${inboxPrefix('learner')}.>`,
  ],
  subscribe: ['rlvr.to.>', 'rlvr.learner.>', `${inboxPrefix('learner')}.>`],
};

/** Whole runs are given to workers alone: what they send back is not sampled again by anybody. */
const workerRights = (role: Role): Rights => ({
  publish: [
    ...(role === 'worker' ? ['rlvr.to.*.series'] : []),
    'rlvr.to.*.presence',
    'rlvr.to.*.base',
    // Nobody vouches for a visitor: each signs, and none can answer in the name of another.
    role === 'worker' ? 'rlvr.to.*.result' : 'rlvr.to.*.signed',
    `$JS.API.CONSUMER.MSG.NEXT.${TASKS}.*`,
    `$JS.API.DIRECT.GET.${WEIGHTS}.rlvr.weights.>`,
  ],
  subscribe: ['rlvr.card.*', `${inboxPrefix(role)}.>`],
});

/** What `fleet init` decides. */
export interface ServerSettings {
  /** `0.0.0.0:4222`, or with the port alone on this machine. */
  readonly listen: string;
  /** Folder of the server's files. */
  readonly store: string;
  readonly passwords: Readonly<Record<Role, string>>;
  /** Visitors of a page come this way; absent: none do. */
  readonly websocket?: WebSocketSettings;
}

/** Where a server listens for browsers. */
export interface WebSocketSettings {
  readonly listen: string;
  /** The page's origin: the server refuses others. */
  readonly origin: string;
  /** Files of a certificate; absent: without TLS, which pages that came by https refuse. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Text of the config, as nats-server reads it. */
export function serverConfig({ listen, store, passwords, websocket }: ServerSettings): string {
  const users: readonly (readonly [Role, Rights])[] = [
    ['learner', LEARNER],
    ['worker', workerRights('worker')],
    ['visitor', workerRights('visitor')],
  ];
  return `# nats-server -c THIS_FILE: the server of a fleet. Its files are a cache: they may be removed while no run is under way.
listen: ${JSON.stringify(listen)}
max_payload: 1MB
jetstream {
  store_dir: ${JSON.stringify(store)}
}
${websocket === undefined ? '' : websocketText(websocket)}authorization {
  users: [
${users.map(([role, rights]) => userText(role, passwords[role], rights)).join('\n')}
  ]
}
`;
}

function websocketText({ listen, origin, tls }: WebSocketSettings): string {
  const files = tls && `tls { cert_file: ${JSON.stringify(tls.cert)}, key_file: ${JSON.stringify(tls.key)} }`;
  return `websocket {
  listen: ${JSON.stringify(listen)}
  allowed_origins: [${JSON.stringify(origin)}]
  ${files ?? 'no_tls: true'}
}
`;
}

function userText(role: Role, password: string, { publish, subscribe }: Rights): string {
  const list = (subjects: readonly string[]): string => subjects.map((subject) => JSON.stringify(subject)).join(', ');
  return `    {
      user: ${role}, password: ${JSON.stringify(password)}
      permissions: {
        publish: [${list(publish)}]
        subscribe: [${list(subscribe)}]
      }
    }`;
}
