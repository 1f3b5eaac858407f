/** Matrix for a test: a homeserver with one room, a gateway and an adapter between them. */
import type { TestContext } from 'node:test';
import type { PlatformAdapter } from '../../../../src/gateway/platform/adapter.ts';
import { platform } from '../../../../src/gateway/platforms/matrix/matrix.ts';
import { MatrixServer, robot } from '../../../fakes/matrix-server.ts';
import { type FakeHost, fakeHost } from '../../fake-host.ts';

export const fred = '@fred:example.org';
export const room = '!room:example.org';
export const signal = (): AbortSignal => AbortSignal.timeout(30_000);

export interface OpenMatrix {
  readonly server: MatrixServer;
  readonly host: FakeHost;
  readonly adapter: PlatformAdapter;
}

export async function openMatrix(
  t: TestContext,
  variables: Readonly<Record<string, string>> = {},
): Promise<OpenMatrix> {
  const server = new MatrixServer();
  await server.start();
  server.addRoom(room, 'Friends', { [fred]: 'Fred', '@sue:example.org': 'Sue' });
  const all = {
    MATRIX_HOMESERVER: server.url,
    MATRIX_ACCESS_TOKEN: server.token,
    MATRIX_E2EE_MODE: 'off',
    ...variables,
  };
  const host = fakeHost(platform, { variables: all, after: (clean) => t.after(clean) });
  const adapter = platform.create(host);
  t.after(async () => {
    await adapter.disconnect();
    await server.stop();
  });
  return { server, host, adapter };
}

/** Fred writes a message that mentions the bot; the id of the event. */
export function say(
  server: MatrixServer,
  content: Readonly<Record<string, unknown>>,
  at = Date.now(),
  where = room,
): string {
  const body = { msgtype: 'm.text', 'm.mentions': { user_ids: [robot.id] }, ...content };
  return server.happen(where, { type: 'm.room.message', sender: fred, origin_server_ts: at, content: body }).event
    .event_id;
}
