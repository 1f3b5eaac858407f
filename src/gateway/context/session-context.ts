/** What the model is told of the chat it talks in: added to each request, stored nowhere. */
import { chatPseudonym, userPseudonym } from './pseudonyms.ts';
import { quoteName } from './untrusted-name.ts';

export interface ContextSource {
  readonly platform: string;
  readonly chat_id: string;
  readonly chat_name?: string | null | undefined;
  readonly chat_type: string;
  readonly user_id?: string | null | undefined;
  readonly user_name?: string | null | undefined;
  readonly thread_id?: string | null | undefined;
  readonly chat_topic?: string | null | undefined;
}

export interface HomeChannel {
  readonly chat_id: string;
  readonly name: string;
  readonly thread_id?: string | undefined;
}

export interface SessionContext {
  readonly source: ContextSource;
  readonly connected_platforms: readonly string[];
  readonly home_channels: Readonly<Record<string, HomeChannel>>;
  /** Several people write in this conversation. */
  readonly shared_multi_user_session: boolean;
}

export interface ContextOptions {
  /** Shows pseudonyms for ids. */
  readonly hidesIds: boolean;
  /** How a platform is called in a sentence. */
  readonly labelOf: (platform: string) => string;
}

export function sessionContextPrompt(context: SessionContext, { hidesIds, labelOf }: ContextOptions): string {
  const { connected_platforms: platforms, home_channels: homes } = context;
  const user = (id: string): string => (hidesIds ? userPseudonym(id) : id);
  const source = hidesIds ? withoutNumbers(context.source) : context.source;
  const chat = (id: string): string => (hidesIds ? chatPseudonym(id) : id);
  return [
    '## Current Session Context',
    '',
    `**Source:** ${sourceLine(source, labelOf, user, chat)}`,
    ...optional(source.chat_topic, (topic) => `**Channel Topic:** ${quoteName(topic)}`),
    ...personLines({ ...context, source }, user),
    ...platformNotes(source.platform, labelOf),
    `**Connected Platforms:** ${['local', ...platforms.filter((name) => name !== 'local')].join(', ')}`,
    ...homeLines(homes, chat),
    '',
    '**Delivery options for scheduled tasks:**',
    '- `"origin"`: this chat',
    '- `"local"`: saved to a file only',
    ...Object.keys(homes).map((name) => `- \`"${name}"\`: home channel of ${labelOf(name)}`),
    '- `"platform:chat_id"`: another chat, by its id',
  ].join('\n');
}

/** Some platforms show a phone number where nobody has set a name. */
function withoutNumbers(source: ContextSource): ContextSource {
  const named = (name: string | null | undefined): string | null =>
    !name || /^\+?\d[\d\s().-]{5,}$/.test(name.trim()) ? null : name;
  return { ...source, chat_name: named(source.chat_name), user_name: named(source.user_name) };
}

type NameId = (id: string) => string;

function sourceLine(source: ContextSource, labelOf: NameId, user: NameId, chat: NameId): string {
  const label = labelOf(source.platform);
  if (source.platform === 'local') return `${label} (this machine)`;
  const name = source.chat_name ? quoteName(source.chat_name) : quoteName(chat(source.chat_id));
  const thread = source.thread_id ? `, thread ${quoteName(chat(source.thread_id))}` : '';
  if (source.chat_type !== 'dm') return `${label} (${source.chat_type}: ${name}${thread})`;
  const person = source.user_name || (source.user_id ? user(source.user_id) : '');
  return `${label} (DM${person === '' ? '' : ` with ${quoteName(person)}`}${thread})`;
}

function personLines({ source, shared_multi_user_session: isShared }: SessionContext, user: NameId): string[] {
  if (isShared) {
    return ['**Session:** several people write here; each message begins with its sender in brackets.'];
  }
  if (source.user_name) return [`**User:** ${quoteName(source.user_name)}`];
  return source.user_id ? [`**User ID:** ${quoteName(user(source.user_id))}`] : [];
}

function platformNotes(platform: string, labelOf: NameId): string[] {
  if (platform !== 'slack' && platform !== 'discord') return [];
  return [
    `**Platform note:** you cannot call ${labelOf(platform)}'s own interfaces: no search of its history, no pinning, no channel management. Say so if you are asked.`,
  ];
}

function homeLines(homes: Readonly<Record<string, HomeChannel>>, chat: NameId): string[] {
  const lines = Object.entries(homes).map(
    ([platform, home]) => `- ${platform}: ${quoteName(home.name)} (id ${quoteName(chat(home.chat_id))})`,
  );
  return lines.length === 0 ? [] : ['', '**Home Channels (default destinations):**', ...lines];
}

function optional(value: string | null | undefined, line: (value: string) => string): string[] {
  return value ? [line(value)] : [];
}
