/** Telegram for a test: a server, a gateway and an adapter between them. */
import type { TestContext } from 'node:test';
import type { Variables } from '../../../../src/config/variables.ts';
import type { PlatformAdapter } from '../../../../src/gateway/platform/adapter.ts';
import type { MessageEvent } from '../../../../src/gateway/platform/message-event.ts';
import { platform } from '../../../../src/gateway/platforms/telegram/telegram.ts';
import type { ApiUser } from '../../../fakes/telegram-chats.ts';
import { FakeTelegram } from '../../../fakes/telegram-platform.ts';
import { type FakeHost, fakeHost, until } from '../../fake-host.ts';

export interface OpenTelegram {
  readonly fake: FakeTelegram;
  readonly host: FakeHost;
  readonly adapter: PlatformAdapter;
  /** A message with these fields; resolves with the event it became, or undefined when it was left alone. */
  readonly hear: (fields: Readonly<Record<string, unknown>>) => Promise<MessageEvent | undefined>;
}

export const signal = (): AbortSignal => AbortSignal.timeout(30_000);
export const friend: ApiUser = { id: 1001, is_bot: false, first_name: 'Fred', username: 'friend' };
export const dm = { id: 1001, type: 'private', first_name: 'Fred' } as const;
export const group = { id: -1002, type: 'group', title: 'Others' } as const;
export const forum = { id: -1001, type: 'supergroup', title: 'Friends', is_forum: true } as const;

export async function openTelegram(
  t: TestContext,
  block: Readonly<Record<string, unknown>> = {},
  variables: Variables = {},
): Promise<OpenTelegram> {
  const fake = await FakeTelegram.open();
  const host = fakeHost(platform, {
    variables: { ...fake.variables, ...variables },
    block: { ...fake.block, ...block },
    after: (clean) => t.after(clean),
  });
  const adapter = platform.create(host);
  t.after(async () => {
    await adapter.disconnect();
    await fake[Symbol.asyncDispose]();
  });
  let nextId = 10_000;
  return {
    fake,
    host,
    adapter,
    async hear(fields) {
      const before = host.accepted.length;
      nextId += 1;
      const { kind = 'message', ...given } = fields;
      const message = { message_id: nextId, date: 1_790_000_000, from: friend, chat: dm, ...given };
      const update = fake.server.happen(String(kind), message);
      await until(() => fake.server.confirmed.has(update), 'the end of the update');
      return host.accepted[before];
    },
  };
}

/** Entities of a text: each word that begins with `@` or `/`. */
export function entitiesOf(text: string) {
  return [...text.matchAll(/(?<=^|\s)[@/][\w@]+/g)].map(({ 0: word, index }) => ({
    type: word.startsWith('@') ? 'mention' : 'bot_command',
    offset: index,
    length: word.length,
  }));
}
