/** The key of a chat's conversation. Nobody else puts keys together or takes them apart. */
import { whatsappIdentity } from './whatsapp-identity.ts';

/** What of a message's source decides which conversation it belongs to. */
export interface KeySource {
  readonly platform: string;
  readonly chat_id?: string | null | undefined;
  readonly chat_type: string;
  readonly user_id?: string | null | undefined;
  /** An id of the same person that does not change; it comes first. */
  readonly user_id_alt?: string | null | undefined;
  readonly thread_id?: string | null | undefined;
}

export interface KeyOptions {
  /** Each member of a group has a conversation of their own; true unless given. */
  readonly group_sessions_per_user?: boolean | undefined;
  /** So does each member of a thread; false unless given: threads are shared. */
  readonly thread_sessions_per_user?: boolean | undefined;
  /** The profile that serves the chat, where one process serves several. */
  readonly profile?: string | undefined;
  /** WhatsApp: the phone number behind an id that hides it. */
  readonly phoneOf?: ((identity: string) => string | undefined) | undefined;
}

export interface SessionKeyParts {
  readonly profile: string;
  readonly platform: string;
  readonly chatType: string;
  /** Chat, thread and user as one text: a chat id may hold colons itself, so a key alone does not say where each ends. */
  readonly rest: string;
}

const MAIN = 'main';

/** `agent:<profile>:<platform>:<chat type>:<chat>[:<thread>][:<user>]`. */
export function sessionKey(source: KeySource, options: KeyOptions = {}): string {
  const { platform, chat_type: chatType } = source;
  const profile = options.profile === undefined || options.profile === 'default' ? MAIN : options.profile;
  const ids = chatType === 'dm' ? directIds(source, options) : sharedIds(source, options);
  return ['agent', profile || MAIN, platform, chatType, ...ids].filter((part) => part !== '').join(':');
}

/** What a key says for certain; undefined for what is no key. */
export function parseSessionKey(key: string): SessionKeyParts | undefined {
  const [agent, profile, platform, chatType, ...rest] = key.split(':');
  if (agent !== 'agent' || !profile || !platform || !chatType) return undefined;
  return { profile: profile === MAIN ? 'default' : profile, platform, chatType, rest: rest.join(':') };
}

/**
 * The key of the same conversation once its chat goes by another id; undefined for one of another chat. Only for ids
 * without colons.
 */
export function movedKey(key: string, platform: string, from: string, to: string): string | undefined {
  const [agent, profile, ofPlatform, chatType, chat, ...rest] = key.split(':');
  if (agent !== 'agent' || !profile || ofPlatform !== platform || !chatType || chat !== from) return undefined;
  return [agent, profile, ofPlatform, chatType, to, ...rest].join(':');
}

/** True when several people share the conversation, so that each message has to say who wrote it. */
export function isSharedSession(source: KeySource, options: KeyOptions = {}): boolean {
  return source.chat_type !== 'dm' && !isPerUser(source, options);
}

/** Who wrote, as keys and rules name them. */
function participantOf(source: KeySource): string {
  return source.user_id_alt || source.user_id || '';
}

function directIds(source: KeySource, options: KeyOptions): string[] {
  return [identity(source.chat_id || participantOf(source), source, options), source.thread_id ?? ''];
}

function sharedIds(source: KeySource, options: KeyOptions): string[] {
  const user = isPerUser(source, options) ? identity(participantOf(source), source, options) : '';
  return [source.chat_id ?? '', source.thread_id ?? '', user];
}

function isPerUser(source: KeySource, options: KeyOptions): boolean {
  const { group_sessions_per_user: inGroups = true, thread_sessions_per_user: inThreads = false } = options;
  return inGroups && participantOf(source) !== '' && (!source.thread_id || inThreads);
}

function identity(id: string, { platform }: KeySource, { phoneOf }: KeyOptions): string {
  return platform === 'whatsapp' || platform === 'whatsapp_cloud' ? whatsappIdentity(id, phoneOf) : id;
}
