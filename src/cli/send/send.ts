/** What `hermes send` does: through the running gateway where there is one, else with the platform itself. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { ConfiguredPlatform } from '../../gateway/platform/configured-platform.ts';
import { openMedia } from '../../gateway/media/open-media.ts';
import { loneClock, loneSender } from '../../gateway/process/lone-adapter.ts';
import { runningGateway } from '../../gateway/process/running-gateway.ts';
import { readGatewayState } from '../../gateway/process/state-file.ts';
import { readDirectory } from '../../gateway/targets/channel-directory.ts';
import { DeadTargets } from '../../gateway/targets/dead-targets.ts';
import { handOver } from '../../gateway/targets/handed-over.ts';
import { mirror } from '../../gateway/targets/mirror.ts';
import { type HandedMessage, type Outcome, type Outgoing, sendOutgoing } from '../../gateway/targets/outgoing.ts';
import { findChat, parseTarget } from '../../gateway/targets/target.ts';
import { UserError } from '../../lib/errors.ts';
import { openSessionStore, storeOf } from '../../sessions/open-store.ts';
import type { CliContext } from '../command.ts';
import { type MessageText, messageText } from './message-text.ts';
import { setUpPlatform } from './set-up-platforms.ts';

export interface SendOptions {
  readonly to?: string;
  readonly file?: string;
  readonly subject?: string;
  readonly list?: true;
  readonly quiet?: true;
  readonly json?: true;
}

/** As the original's function behind it answers. */
interface Sent {
  readonly success: true;
  readonly platform: string;
  readonly chat_id: string;
  readonly message_id?: string;
  readonly mirrored?: true;
  readonly note?: string;
}

const sendMs = 120_000;

export async function send(context: CliContext, message: string | undefined, options: SendOptions): Promise<void> {
  const { io } = context;
  try {
    const result = await sent(context, message, options);
    if (options.json === true) io.stdout.write(`${JSON.stringify(result)}\n`);
    else if (options.quiet !== true) io.stdout.write('note' in result ? `sent (${result.note})\n` : 'sent\n');
  } catch (error) {
    if (!(error instanceof UserError) || options.json !== true) throw error;
    io.stdout.write(`${JSON.stringify({ error: error.message })}\n`);
    context.exitCode = error.exitCode;
  }
}

async function sent(context: CliContext, written: string | undefined, options: SendOptions): Promise<Sent> {
  if (options.to === undefined || options.to.trim() === '') {
    throw new UserError('Say where to: --to <target>.', {
      exitCode: 2,
      hint: 'A target is a platform, or platform:chat; those that are known: hermes send --list',
    });
  }
  return await sendTo(context, options.to, await messageText(context.io, written, options));
}

interface SendToOptions extends Pick<HandedMessage, 'inConversation'> {
  /** What becomes of a text that names files to be sent with it. */
  readonly files?: 'sent' | 'refused';
}

/** Throws `UserError` when it was not sent. */
export async function sendTo(
  context: CliContext,
  written: string,
  { text, sources }: MessageText,
  { files = 'sent', inConversation }: SendToOptions = {},
): Promise<Sent> {
  const target = parseTarget(written);
  const configured = await setUpPlatform(context, target.platform);
  const { to, note } = findChat(configured, target.chat, readDirectory(context.home.path));
  const how = inConversation === undefined ? {} : { inConversation };
  const message = { id: randomUUID(), platform: target.platform, to, sources, text, ...how };
  const media = await filesOf(context, text);
  if (files === 'refused' && media.files.length > 0) throw new UserError('Files cannot be sent; nothing was sent.');
  const { result, mirrored } = await deliver(context, configured, message, media);
  if (!result.ok) throw new UserError(result.error);
  return {
    success: true,
    platform: target.platform,
    chat_id: to.chatId,
    ...(result.messageId === null ? {} : { message_id: result.messageId }),
    ...(mirrored ? { mirrored } : {}),
    ...(note === undefined ? {} : { note }),
  };
}

async function filesOf(
  { home, env, log, config }: CliContext,
  text: string,
): Promise<Pick<Outgoing, 'text' | 'files'>> {
  const media = openMedia({ options: { home, env, config: await config() }, log });
  const { text: rest, files, refused } = media.takeFiles(text);
  if (refused.length === 0) return { text: rest, files };
  throw new UserError(`${refused.join(', ')} may not be sent from here; nothing was sent.`, {
    hint: 'Name the folder in gateway.media_delivery_allow_dirs of config.yaml. Keys, settings and system files never are.',
  });
}

async function deliver(
  context: CliContext,
  configured: ConfiguredPlatform,
  message: HandedMessage,
  media: Pick<Outgoing, 'text' | 'files'>,
): Promise<Outcome> {
  const { path } = context.home;
  const running = runningGateway(path);
  const state = running === undefined ? undefined : readGatewayState(path);
  const isConnected = state?.pid === running?.pid && state?.platforms[message.platform]?.state === 'connected';
  const through = isConnected ? await handOver(path, message) : undefined;
  return through ?? (await sendAlone(context, configured, { ...message, ...media }));
}

async function sendAlone(context: CliContext, configured: ConfiguredPlatform, message: Outgoing): Promise<Outcome> {
  const { home, log } = context;
  const adapter = loneSender({ ...configured, home, loaded: await context.config(), log });
  const place = { platform: message.platform, chatId: message.to.chatId };
  const dead = new DeadTargets(home.path, { log: log.named('gateway'), clock: loneClock });
  try {
    const signal = AbortSignal.timeout(sendMs);
    const result = await sendOutgoing(message, { adapter, facts: configured.platform, clock: loneClock, signal });
    if (!result.ok) {
      if (result.kind === 'forbidden') dead.mark(place, result.error);
      return { result, mirrored: false };
    }
    dead.clear(place);
    return { result, mirrored: await mirrorAlone(context, message) };
  } finally {
    await adapter.disconnect();
  }
}

/** A conversation that cannot be written to changes nothing about what was sent. */
async function mirrorAlone({ home, log }: CliContext, message: Outgoing): Promise<boolean> {
  const location = storeOf(home.path);
  if (!existsSync(location.path)) return false;
  try {
    const store = await openSessionStore(location, { forWriting: true });
    try {
      await store.chatRoutes.putRight();
      return await mirror(message, {
        store,
        routes: store.chatRoutes.each(),
        log,
        putDown: async () => await Promise.resolve(true),
      });
    } finally {
      await store.close();
    }
  } catch (error) {
    log.warning('a message was sent and not put into its conversation', error);
    return false;
  }
}
