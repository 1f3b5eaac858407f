/** The bot on a real homeserver, and a person with a real client. */
import type { TestContext } from 'node:test';
import type { PlatformAdapter } from '../../src/gateway/platform/adapter.ts';
import type { AdapterHost } from '../../src/gateway/platform/adapter-host.ts';
import { platform } from '../../src/gateway/platforms/matrix/matrix.ts';
import { type FakeHost, fakeHost, until } from '../gateway/fake-host.ts';
import { type Person, startPerson } from './matrix-person.ts';
import { startSynapse, type Synapse } from './synapse.ts';

export const passwords = { robot: 'the password of the robot', alice: 'the password of alice' };
export const signal = (): AbortSignal => AbortSignal.timeout(60_000);

export interface Opened {
  readonly server: Synapse;
  readonly robotId: string;
  readonly alice: Person;
}

/** Returns the reason when it does not work here. */
export async function open(t: TestContext): Promise<Opened | string> {
  const server = await startSynapse(t);
  if (typeof server === 'string') return server;
  const robotId = await server.register('robot', passwords.robot);
  const alice = await startPerson(t, server.url, await server.register('alice', passwords.alice), passwords.alice);
  return { server, robotId, alice };
}

/** An encrypted room of alice's, in which the robot is. */
export async function roomOf(alice: Person, robotId: string): Promise<string> {
  const room = await alice.createRoom(robotId);
  await until(async () => (await alice.membership(room, robotId)) === 'join', 'the robot in the room');
  return room;
}

export const said = (body: string, more: object = {}): object => ({ msgtype: 'm.text', body, ...more });

export interface Robot {
  readonly host: FakeHost;
  readonly adapter: PlatformAdapter;
}

interface RobotOptions {
  /** The same home after a restart. */
  readonly before?: AdapterHost;
  readonly variables?: Record<string, string>;
  readonly home?: string;
  readonly isAuthorized?: AdapterHost['isAuthorized'];
}

export function robot(t: TestContext, server: Synapse, id: string, options: RobotOptions = {}): Robot {
  const { before, variables = {}, home, isAuthorized } = options;
  const all = {
    MATRIX_HOMESERVER: server.url,
    MATRIX_USER_ID: id,
    MATRIX_PASSWORD: passwords.robot,
    ...variables,
  };
  const fresh = fakeHost(platform, { variables: all, after: (clean) => t.after(clean) });
  const homeChannel = home === undefined ? undefined : { chatId: home, name: undefined, threadId: null };
  const host = {
    ...fresh,
    config: { ...fresh.config, homeChannel },
    ...(before === undefined ? {} : { notes: before.notes, folder: () => before.folder() }),
    ...(isAuthorized === undefined ? {} : { isAuthorized }),
  };
  const adapter = platform.create(host);
  t.after(async () => await adapter.disconnect());
  return { host, adapter };
}

export function deviceOf({ logged }: FakeHost): string {
  return logged.join('\n').match(/the device (\S+) has the key/)?.[1] ?? '';
}
