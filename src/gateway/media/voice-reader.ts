/** How the voice messages of a chat are turned into text, and who is told of it. */
import { hearing, type HearingParts } from '../../runtime/hearing.ts';
import type { Log } from '../../lib/log.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import { sendText } from '../delivery/send-text.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { VoiceReader } from './receive-media.ts';

const tellMs = 30_000;

/** For each message: undefined where `stt.enabled` is false. */
export function voiceReader(
  parts: HearingParts,
  log: Log,
): (event: MessageEvent, connection: PlatformConnection | undefined) => VoiceReader | undefined {
  const { stt } = parts.config.config;
  if (!stt.enabled) return () => undefined;
  const heard = hearing(parts);
  return (event, connection) => ({
    echo: stt.echo_transcripts,
    read: (path, signal) => heard.read(path, signal),
    tell: (line) => tell(line, event, connection, log),
  });
}

/** A courtesy: when it does not arrive, the answer still does. */
async function tell(
  text: string,
  { source, event_id: id }: MessageEvent,
  connection: PlatformConnection | undefined,
  log: Log,
): Promise<void> {
  if (connection?.adapter === undefined) return;
  const { adapter, platform: facts } = connection;
  const to = { chatId: source.chat_id, threadId: source.thread_id };
  const signal = AbortSignal.timeout(tellMs);
  const clock = { now: Date.now, sleep: noPatience, random: Math.random };
  const result = await sendText(
    { to, text, key: `heard.${id}`, notify: false },
    { adapter, facts, replyToMode: 'off', clock, signal },
  );
  if (!result.ok) log.warning(`what was heard could not be told: ${result.error}`);
}

/** Nobody waits for it: it is tried once. */
function noPatience(): Promise<void> {
  return Promise.reject(new Error('told once only'));
}
