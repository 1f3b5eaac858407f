/** A scheduler on a home whose model is a fake one, with chats that write down what they are sent. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { JobAddress, JobChats, JobMessage } from '../../../src/automation/cron/job-chats.ts';
import { Scheduler } from '../../../src/automation/cron/scheduler.ts';
import { Executions } from '../../../src/cron/executions.ts';
import { latestOutput } from '../../../src/cron/outputs.ts';
import { UserError } from '../../../src/lib/errors.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { placeFor, type PlaceOptions } from '../../runtime/support.ts';

/** Home chats: `telegram` is `-100`, `matrix` is `!home`. */
class FakeChats implements JobChats {
  readonly sent: { readonly to: JobAddress; readonly message: JobMessage }[] = [];
  readonly #homes: Readonly<Record<string, string>> = { telegram: '-100', matrix: '!home' };
  down = false;

  knows(platform: string): boolean {
    return platform in this.#homes;
  }

  homes(): readonly string[] {
    return Object.keys(this.#homes);
  }

  find(written: string): JobAddress {
    const [platform = '', chatId = this.#homes[platform], threadId = null] = written.split(':');
    if (chatId === undefined) throw new UserError(`no chat platform '${platform}' is set up`);
    return { platform, chatId, threadId };
  }

  async send(to: JobAddress, message: JobMessage): Promise<void> {
    if (this.down) throw new Error('the network is down');
    this.sent.push({ to, message });
  }

  get texts(): readonly string[] {
    return this.sent.map(({ message }) => message.text);
  }
}

export interface StartOptions extends PlaceOptions {
  readonly config?: string;
  readonly at?: string;
  readonly respond?: NonNullable<Parameters<typeof startModelServer>[0]>['respond'];
  readonly model?: ModelServer;
}

export async function startScheduler(t: TestContext, options: StartOptions = {}) {
  const { config = '', at = '2026-07-20T10:30:00Z', respond, model: given, ...rest } = options;
  const model = given ?? (await startModelServer(respond === undefined ? {} : { respond }));
  if (given === undefined) t.after(() => model.close());
  const place = placeFor(t, model, `timezone: UTC\n${config}`, rest);
  const program = await place.open();
  const chats = new FakeChats();
  const clock = { now: Date.parse(at) };
  const scheduler = new Scheduler({ program, chats, now: () => clock.now });
  t.after(() => scheduler.close());
  const { homePath } = place;
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(homePath, name)), { recursive: true });
    writeFileSync(join(homePath, name), text);
  };
  return {
    place,
    program,
    model,
    chats,
    clock,
    scheduler,
    homePath,
    put,
    desk: scheduler.desk,
    store: scheduler.store,
    /** So many minutes later, and all that is due then has run. */
    after: async (minutes: number): Promise<number> => {
      clock.now += minutes * 60_000;
      const count = await scheduler.tick();
      await scheduler.settled(new AbortController().signal);
      return count;
    },
    output: (jobId: string) => latestOutput({ homePath, jobId }),
    rows: () => {
      const ledger = new Executions(homePath);
      const rows = ledger.list({ limit: 100 });
      ledger.close();
      return rows;
    },
    /** What the model was asked, as one text for each request. */
    asked: () => model.requests.map(({ body }) => JSON.stringify(body.messages)),
    records: () => JSON.parse(readFileSync(join(homePath, 'cron', 'jobs.json'), 'utf8')).jobs,
  };
}

/** A job that came from a chat of Telegram. */
export const fromTelegram = { platform: 'telegram', chat_id: '77', user_id: '5' };
