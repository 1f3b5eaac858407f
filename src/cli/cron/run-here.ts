/** Runs jobs in this process, where no gateway does it: `hermes cron tick` and `hermes cron run`. */
import type { ContinuedResult, JobAddress, JobChats, JobMessage } from '../../automation/cron/job-chats.ts';
import { Scheduler } from '../../automation/cron/scheduler.ts';
import { cronSettings } from '../../config/cron.ts';
import { userDirectory } from '../../config/home.ts';
import type { ConfiguredPlatform } from '../../gateway/platform/configured-platform.ts';
import type { PlatformEntry } from '../../gateway/platform/platform.ts';
import { pluggedOf } from '../../gateway/plugged/plugged-of.ts';
import { allPlatforms } from '../../gateway/process/configured-platforms.ts';
import { readDirectory } from '../../gateway/targets/channel-directory.ts';
import type { JobResult } from '../../gateway/targets/outgoing.ts';
import { findChat, parseTarget } from '../../gateway/targets/target.ts';
import { UserError } from '../../lib/errors.ts';
import { openStoreWithin } from '../../runtime/open-store.ts';
import { openProgram } from '../../runtime/open-program.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';
import { sendTo } from '../send/send.ts';
import { setUpPlatform } from '../send/set-up-platforms.ts';

/** Runs `work` with a scheduler of this home; what runs when it ends is waited for. */
export async function withScheduler<T>(context: CliContext, work: (scheduler: Scheduler) => Promise<T>): Promise<T> {
  const { home, env, log } = context;
  const config = await context.config();
  const { version } = readPackage();
  const opened = await openStoreWithin(home, cronSettings(config, env).storeMs);
  const program = await openProgram({ home, env, config, log, version, opened, cwd: userDirectory(env) });
  try {
    const scheduler = new Scheduler({ program, chats: await chatsOf(context, await pluggedOf(program)) });
    try {
      const result = await work(scheduler);
      await scheduler.settled(new AbortController().signal);
      return result;
    } finally {
      await scheduler.close();
    }
  } finally {
    await program.close();
  }
}

/** Through the gateway where one runs, else with the platform itself, as `hermes send`. */
async function chatsOf(context: CliContext, plugged: readonly PlatformEntry[]): Promise<JobChats> {
  const configured = await setUp(context, plugged);
  const topic = cronSettings(await context.config(), context.env).telegramThread;
  return {
    knows: (platform) => allPlatforms(plugged).some(({ name }) => name === platform),
    homes: () =>
      [...configured].flatMap(
        ([
          name,
          {
            config: { homeChannel },
          },
        ]) => (homeChannel === undefined ? [] : [name]),
      ),
    find(written) {
      const { platform, chat } = parseTarget(written);
      const found = configured.get(platform);
      if (found === undefined) throw new UserError(`no chat platform '${platform}' is set up`);
      const { to } = findChat(found, chat, readDirectory(context.home.path));
      const isTopic = platform === 'telegram' && chat === undefined && topic !== undefined;
      return { platform, chatId: to.chatId, threadId: isTopic ? topic : to.threadId };
    },
    send: (to, message) => send(context, to, message),
  };
}

async function send(
  context: CliContext,
  { platform, chatId, threadId }: JobAddress,
  { text, continued }: JobMessage,
): Promise<void> {
  const target = `${platform}:${chatId}${threadId === null ? '' : `:${threadId}`}`;
  const sources = continued?.sources ?? [{ from: 'agent' }];
  // No thread is begun: this process is gone before anybody answers.
  const inConversation = continued === undefined ? 'not' : resultOf(continued);
  await sendTo(context, target, { text, sources }, { inConversation });
}

function resultOf({ name, text, userId }: ContinuedResult): JobResult {
  return { job: name, text, userId };
}

/** The platforms of this home that could be written to, by name. */
async function setUp(
  context: CliContext,
  plugged: readonly PlatformEntry[],
): Promise<ReadonlyMap<string, ConfiguredPlatform>> {
  const found = new Map<string, ConfiguredPlatform>();
  for (const { name } of allPlatforms(plugged)) {
    try {
      found.set(name, await setUpPlatform(context, name, plugged));
    } catch (error) {
      // One that is not set up is no place to deliver to.
      if (!(error instanceof UserError)) throw error;
    }
  }
  return found;
}
