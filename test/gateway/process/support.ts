/** `hermes gateway` as a process of its own, with a fake Telegram before it and a fake model behind it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import * as z from 'zod';
import { type Running, makePlace, type Place, start } from '../../cli/hermes-process.ts';
import type { ModelServer } from '../../fakes/model-server.ts';
import { FakeTelegram } from '../../fakes/telegram-platform.ts';

const state = z.object({
  pid: z.number(),
  gateway_state: z.string(),
  exit_reason: z.string().nullable(),
  restart_requested: z.boolean(),
  platforms: z.record(z.string(), z.looseObject({ state: z.string(), error_message: z.string().nullable() })),
});

// No request beside the conversation.
const quiet = `auxiliary:
  title_generation:
    enabled: false
display:
  platforms:
    telegram:
      streaming: false
      tool_progress: off
`;

export interface GatewayPlace extends Place {
  readonly telegram: FakeTelegram;
  /** Starts `hermes gateway run`; it is killed after the test. */
  run(args?: readonly string[], env?: Readonly<Record<string, string>>): Running;
  state(): z.infer<typeof state> | undefined;
  /** Resolves when the gateway of this process is in the state. */
  inState(running: Running, wanted: string): Promise<void>;
  texts(chatId?: string): readonly string[];
}

export interface GatewayPlaceOptions {
  readonly config?: string;
  readonly dotenv?: string;
  readonly telegram?: FakeTelegram;
  /** Below `platforms.telegram`. */
  readonly block?: string;
}

export async function gatewayPlace(
  t: TestContext,
  model: ModelServer,
  { config = '', dotenv = 'TELEGRAM_ALLOWED_USERS=1001\n', telegram, block = '' }: GatewayPlaceOptions = {},
): Promise<GatewayPlace> {
  const fake = telegram ?? (await FakeTelegram.open());
  if (telegram === undefined) t.after(() => fake[Symbol.asyncDispose]());
  const platforms = `platforms:\n  telegram:\n${block}    extra:\n      base_url: ${fake.server.url}\n`;
  const place = makePlace(t, model, `${quiet}${platforms}${config}`);
  place.write('.env', `TELEGRAM_BOT_TOKEN=${fake.server.token}\n${dotenv}`);
  const readState = (): z.infer<typeof state> | undefined => {
    const path = join(place.home, 'gateway_state.json');
    return existsSync(path) ? state.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
  };
  return {
    ...place,
    telegram: fake,
    run(args = [], env = {}) {
      const running = start(place, ['gateway', 'run', ...args], { env });
      t.after(async () => {
        running.child.kill('SIGKILL');
        await running.ended;
      });
      return running;
    },
    state: readState,
    async inState(running, wanted) {
      await until(() => {
        const found = readState();
        return found?.pid === running.child.pid && found?.gateway_state === wanted;
      }, running);
    },
    texts: (chatId = '1001') => fake.shown({ chatId, threadId: null }).map(({ text }) => text),
  };
}

/** Looks until the condition holds; gives up when the process has ended without it. */
export async function until(condition: () => boolean, running?: Running): Promise<void> {
  while (!condition()) {
    if (running?.child.exitCode !== null && running !== undefined && !condition()) {
      const { code, stdout, stderr } = await running.ended;
      throw new Error(`the gateway ended with ${code}: ${stdout}${stderr}`);
    }
    await sleep(20);
  }
}
