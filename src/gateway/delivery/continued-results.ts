/** Results of scheduled jobs that can be answered: in a thread of their own where there are threads, else in their chat. */
import type { ContinuedResult, JobAddress } from '../../automation/cron/job-chats.ts';
import { errorMessage } from '../../lib/errors.ts';
import { chatOf } from '../chats/chat-session.ts';
import type { Gateway } from '../gateway.ts';
import type { TakenMedia } from '../media/take-media.ts';
import { type SessionSource, sessionSource } from '../platform/session-source.ts';
import { isSharedSession } from '../sessions/session-key.ts';
import { appendTo, conversationOf, resultMessage } from '../targets/mirror.ts';

/** Where a result goes, and what is to be done once it is on its way. */
export interface Continuation {
  readonly to: JobAddress;
  /** Puts it into the conversation there. Never rejects: a result that was sent was sent. */
  note(media: Media): Promise<void>;
}

type Media = Pick<TakenMedia, 'text' | 'files'>;

/** How long a running turn is waited for with what was sent into its chat. */
const putDownMs = 30_000;
const threadMs = 30_000;
const maxNameChars = 80;

/**
 * Begins the thread. A platform that has none, or lets us begin none there, is no error: then the chat itself goes on.
 * Undefined where nobody has written yet: there is no conversation to go on with.
 */
export async function openContinuation(
  gateway: Gateway,
  to: JobAddress,
  continued: ContinuedResult,
  signal: AbortSignal,
): Promise<Continuation | undefined> {
  const source = await sourceOf(gateway, to, continued);
  if (source === undefined) return undefined;
  const staysInChat = to.threadId !== null || surfaceOf(gateway, to) === 'in_channel';
  const within = AbortSignal.any([signal, AbortSignal.timeout(threadMs)]);
  const thread = staysInChat ? undefined : await beginThread(gateway, to, continued.name, within);
  const place = thread === undefined ? source : inThreadOf(source, thread);
  return { to: thread ?? to, note: (media) => note(gateway, place, continued, media) };
}

function surfaceOf(gateway: Gateway, { platform }: JobAddress): string {
  const written = gateway.connection(platform)?.config.extra['cron_continuable_surface'];
  return typeof written === 'string' ? written.trim().toLowerCase() : '';
}

async function beginThread(
  gateway: Gateway,
  { platform, chatId }: JobAddress,
  name: string,
  signal: AbortSignal,
): Promise<JobAddress | undefined> {
  try {
    const threads = gateway.connection(platform)?.adapter?.threads;
    const begun = await threads?.create(chatId, name.slice(0, maxNameChars).toWellFormed(), signal);
    return begun === undefined || begun.threadId === null
      ? undefined
      : { platform, ...begun, threadId: begun.threadId };
  } catch (error) {
    gateway.program.log.named('cron').warning(`no thread could be begun in ${platform}: ${errorMessage(error)}`, error);
    return undefined;
  }
}

/** The chat as its messages come from it; undefined where nobody has written in it yet. */
async function sourceOf(
  gateway: Gateway,
  { platform, chatId, threadId }: JobAddress,
  { userId }: ContinuedResult,
): Promise<SessionSource | undefined> {
  const wanted = { platform, to: { chatId, threadId }, ...(userId === null ? {} : { user: userId }) };
  const route = await conversationOf(wanted, gateway.routing.each());
  const { data } = sessionSource.safeParse(route?.origin);
  if (data === undefined) return undefined;
  // It was that of one message.
  const { message_id: _of, ...source } = data;
  return source;
}

/** Some platforms have threads that are chats by themselves. */
function inThreadOf(source: SessionSource, { chatId, threadId }: JobAddress): SessionSource {
  if (chatId === source.chat_id) return { ...source, thread_id: threadId };
  return { ...source, chat_id: chatId, thread_id: threadId, chat_type: 'thread', parent_chat_id: source.chat_id };
}

/** In the conversation of that place, which is begun where there is none. */
async function note(
  gateway: Gateway,
  source: SessionSource,
  { name, sources }: ContinuedResult,
  { text, files }: Media,
): Promise<void> {
  const log = gateway.program.log.named('cron');
  const { store } = gateway.program;
  try {
    const key = gateway.keyOf(source);
    if (store === undefined || !(await gateway.chats.putDown(key, AbortSignal.timeout(putDownMs)))) {
      return log.info(`the result of '${name}' was not put into its conversation, which is at work`);
    }
    const { entry, resume } = await gateway.routing.sessionFor(key, source);
    if (resume === undefined) {
      await store.sessions.create({
        id: entry.session_id,
        source: source.platform,
        chat: chatOf(key, source),
        ...(isShared(gateway, source) || source.user_id === null ? {} : { userId: source.user_id }),
      });
    }
    const message = resultMessage({ job: name, text, userId: null }, { files, sources });
    await appendTo(entry.session_id, message, { store, log, by: source.platform });
  } catch (error) {
    log.warning(`the result of '${name}' was not put into its conversation: ${errorMessage(error)}`, error);
  }
}

function isShared({ settings }: Gateway, source: SessionSource): boolean {
  return isSharedSession(source, {
    group_sessions_per_user: settings.groupSessionsPerUser,
    thread_sessions_per_user: settings.threadSessionsPerUser,
  });
}
