/** How the checks of the suite for platforms are run: each on a server and an adapter of its own. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { OutgoingText, PlatformAdapter } from '../../src/gateway/platform/adapter.ts';
import type { MessageEvent } from '../../src/gateway/platform/message-event.ts';
import { PlatformError } from '../../src/gateway/platform/platform-error.ts';
import type { Sent, SendResult } from '../../src/gateway/platform/send-result.ts';
import { type FakeHost, fakeHost, until } from './fake-host.ts';
import type { FakePlatform, PlatformUnderTest } from './fake-platform.ts';

export interface Opened {
  readonly fake: FakePlatform;
  readonly host: FakeHost;
  readonly adapter: PlatformAdapter;
  /** Another adapter on the same server, with other settings or variables. */
  readonly other: (options: OtherOptions) => { readonly host: FakeHost; readonly adapter: PlatformAdapter };
}

interface OtherOptions {
  readonly block?: Readonly<Record<string, unknown>>;
  readonly wrong?: boolean;
}

/** A message from nobody to nobody takes this long at most; a test that waits longer has failed. */
export const signal = (): AbortSignal => AbortSignal.timeout(30_000);
export const hello = 'Hello there.';

export type Check = (what: string, body: (opened: Opened, t: TestContext) => Promise<void>) => void;

export interface Checks {
  /** Before it is connected. */
  readonly check: Check;
  readonly connected: Check;
}

export function checksOf(under: PlatformUnderTest): Checks {
  const { platform } = under;
  const name = nameOf(under);
  const check: Check = (what, body) => {
    test(`${name}: ${what}`, async (t) => {
      const fake = await under.open();
      const adapters: PlatformAdapter[] = [];
      const other: Opened['other'] = ({ block, wrong = false }) => {
        const host = fakeHost(platform, {
          variables: { ...fake.variables, ...(wrong ? fake.wrongVariables : {}) },
          block: { ...fake.block, ...block },
          after: (clean) => t.after(clean),
        });
        const adapter = platform.create(host);
        adapters.push(adapter);
        return { host, adapter };
      };
      t.after(async () => {
        await Promise.all(adapters.map((adapter) => adapter.disconnect()));
        await fake[Symbol.asyncDispose]();
      });
      const opened = { fake, other, ...other({}) };
      await body(opened, t);
      const told = [...opened.host.logged, ...opened.host.failures.map(({ message }) => message)].join('\n');
      for (const secret of fake.secrets) assert.ok(!told.includes(secret), 'no secret is logged');
    });
  };
  const connected: Check = (what, body) =>
    check(what, async (opened, t) => {
      await opened.adapter.connect(signal());
      await body(opened, t);
    });
  return { check, connected };
}

export function nameOf({ platform, variant }: PlatformUnderTest): string {
  return variant === undefined ? platform.name : `${platform.name} (${variant})`;
}

export function message(
  given: Omit<OutgoingText, 'idempotencyKey'> & { readonly idempotencyKey?: string },
): OutgoingText {
  return { idempotencyKey: `key of ${given.text}`, ...given };
}

export async function sendOk(adapter: PlatformAdapter, given: Omit<OutgoingText, 'idempotencyKey'>): Promise<string> {
  const result: SendResult = await adapter.send(message(given), signal());
  assert.ok(result.ok, result.ok ? '' : `${result.kind}: ${result.error}`);
  const { messageId }: Sent = result;
  assert.ok(messageId !== null);
  return messageId;
}

export async function connectError(adapter: PlatformAdapter): Promise<PlatformError> {
  try {
    await adapter.connect(signal());
  } catch (error) {
    assert.ok(error instanceof PlatformError, String(error));
    return error;
  }
  throw new Error('it connected');
}

export async function theOnly(host: FakeHost): Promise<MessageEvent> {
  await until(() => host.accepted.length > 0);
  const [event] = host.accepted;
  assert.ok(event !== undefined);
  assert.equal(host.accepted.length, 1);
  return event;
}
