/** Brings the results of scheduled jobs into chats: each is written down before it is sent. */
import type { JobAddress, JobChats, JobMessage } from '../../automation/cron/job-chats.ts';
import { cronSettings } from '../../config/cron.ts';
import { UserError } from '../../lib/errors.ts';
import { platformCatalogue } from '../catalogue.ts';
import type { Gateway } from '../gateway.ts';
import type { TakenMedia } from '../media/take-media.ts';
import { readDirectory } from '../targets/channel-directory.ts';
import { findChat, parseTarget } from '../targets/target.ts';
import { openContinuation } from './continued-results.ts';

/** `takeFiles`: the files that a text names and that may be sent, and the text without their marks. */
export function cronChats(gateway: Gateway, takeFiles: (text: string) => TakenMedia): JobChats {
  const known = [...new Set([...platformCatalogue, ...gateway.program.plugins.platforms].map(({ name }) => name))];
  return {
    knows: (platform) => known.includes(platform),
    homes: () => known.filter((name) => gateway.connection(name)?.config.homeChannel !== undefined),
    find: (written) => find(gateway, written),
    send: (to, message) => send(gateway, to, message, takeFiles),
  };
}

function find(gateway: Gateway, written: string): JobAddress {
  const { platform, chat } = parseTarget(written);
  const connection = gateway.connection(platform);
  if (connection === undefined) throw new UserError(`no chat platform '${platform}' is set up`);
  const { config, env, home } = gateway.program.options;
  const { to } = findChat(connection, chat, readDirectory(home.path));
  const topic = cronSettings(config, env).telegramThread;
  const threadId = platform === 'telegram' && chat === undefined && topic !== undefined ? topic : to.threadId;
  return { platform, chatId: to.chatId, threadId };
}

async function send(
  gateway: Gateway,
  address: JobAddress,
  { id, jobId, text, continued, signal }: JobMessage,
  takeFiles: (text: string) => TakenMedia,
): Promise<void> {
  const { platform } = address;
  if (gateway.connection(platform) === undefined) throw new UserError(`no chat platform '${platform}' is set up`);
  if (gateway.deadTargets.has({ platform, chatId: address.chatId }))
    throw new UserError('dead_target: the chat takes no messages');
  // A process that died since has written its own words down; they go out with what it left.
  if ((await gateway.program.store?.outbox.get(id)) !== undefined) return;
  const { text: content, files, refused } = takeFiles(text);
  const continuation =
    continued === undefined ? undefined : await openContinuation(gateway, address, continued, signal);
  const { chatId, threadId } = continuation?.to ?? address;
  await gateway.delivery.add({
    id,
    sessionKey: `cron:${jobId}`,
    platform,
    chatId,
    threadId,
    content,
    details: JSON.stringify(files.length === 0 ? {} : { files }),
  });
  if (continued !== undefined) await continuation?.note(takeFiles(continued.text));
  if (refused.length > 0) throw new UserError(`${refused.join(', ')} may not be sent from here`);
}
