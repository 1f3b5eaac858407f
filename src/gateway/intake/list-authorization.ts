/** Lets people in by the owner's lists and by pairing. */
import type { Variables } from '../../config/variables.ts';
import type { Platform } from '../platform/platform.ts';
import type { PlatformConfig } from '../platform/platform-config.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { SessionSource } from '../platform/session-source.ts';
import { type AccessLists, accessLists, listOf } from './access-lists.ts';
import type { Admission, Admitted, Authorization, Tier } from './authorization.ts';
import type { Pairing } from './pairing.ts';

export interface ListAuthorizationOptions {
  readonly pairing: Pairing;
  /** As they are now: `.env` is looked at again for each message. */
  variables(): Variables;
  platform(name: string): { readonly platform: Platform; readonly config: PlatformConfig } | undefined;
  /** `unauthorized_dm_behavior` of config.yaml; undefined: not set. */
  readonly strangers: 'pair' | 'ignore' | undefined;
}

const allowed: Admission = { as: 'allowed' };
const stranger: Admission = { as: 'stranger' };
const alwaysAllowed: ReadonlySet<string> = new Set(['help', 'whoami']);

export class ListAuthorization implements Authorization {
  readonly #options: ListAuthorizationOptions;

  constructor(options: ListAuthorizationOptions) {
    this.#options = options;
  }

  async admit(event: Admitted): Promise<Admission> {
    const { source } = event;
    const known = this.#options.platform(source.platform);
    if (known === undefined) return stranger;
    const { platform, config } = known;
    const lists = accessLists(platform, config, this.#options.variables());
    if (event.internal === true || platform.transportAuthenticated || event.authorized === 'upstream') return allowed;
    if (this.#mayEnter(event, lists, config)) return allowed;
    if (source.chat_type !== 'dm' || source.user_id === null || this.#ignores(lists, config)) return stranger;
    if (event.silent === true) return stranger;
    return await this.#pair(source);
  }

  mayRun(command: string, { source }: Pick<MessageEvent, 'source'>): boolean {
    const { tier, commands } = this.#tier(source);
    return tier !== 'user' || alwaysAllowed.has(command) || commands.has(command);
  }

  tierOf(source: SessionSource): { readonly tier: Tier; readonly alone?: boolean } {
    const { tier } = this.#tier(source);
    return tier === 'unrestricted' ? { tier, alone: this.#isAlone(source) } : { tier };
  }

  #mayEnter(event: Admitted, lists: AccessLists, config: PlatformConfig): boolean {
    const { source, from_bot: isBot = false, authorized } = event;
    const inGroup = source.chat_type !== 'dm';
    if (inGroup && (lists.groups.has('*') || lists.groups.has(source.chat_id))) return true;
    if (isBot) return lists.bots !== 'none';
    const { user_id: id } = source;
    if (id === null) return false;
    if (lists.allowAll || authorized === 'role') return true;
    if (this.#options.pairing.isApproved(source.platform, id)) return true;
    if (!hasList(lists)) return lists.allowAllEverywhere || hasOwnPolicy(config, inGroup);
    const may = [lists.users, lists.everywhere, ...(inGroup ? [lists.groupUsers] : [])];
    return may.some(
      (list) => list !== undefined && (list.has('*') || list.has(id) || list.has(id.split('@')[0] ?? id)),
    );
  }

  /** By their own id: an open door names nobody. */
  #isAlone({ platform: name, user_id: id }: SessionSource): boolean {
    const known = this.#options.platform(name);
    if (known === undefined || id === null) return false;
    const { users, everywhere, groupUsers } = accessLists(known.platform, known.config, this.#options.variables());
    const listed = [users, everywhere, groupUsers].flatMap((list) => [...(list ?? [])]);
    const named = new Set([...listed, ...this.#options.pairing.approved(name).map(({ userId }) => userId)]);
    return named.size === 1 && (named.has(id) || named.has(id.split('@')[0] ?? id));
  }

  /** Where the owner made a list, strangers are not offered a way around it. */
  #ignores(lists: AccessLists, { extra }: PlatformConfig): boolean {
    const own = extra['unauthorized_dm_behavior'];
    if (own === 'ignore' || own === 'pair') return own === 'ignore';
    if (this.#options.strangers === 'ignore') return true;
    const policy = extra['dm_policy'];
    if (policy === 'pairing') return false;
    return policy === 'allowlist' || policy === 'disabled' || hasList(lists);
  }

  async #pair({ platform, user_id: userId, user_name: userName }: SessionSource): Promise<Admission> {
    const { code } = await this.#options.pairing.request(platform, { userId: userId ?? '', userName });
    if (code === null) return stranger;
    const reply = `Hi, I do not know you yet. Your pairing code is ${code}\nAsk whoever runs this agent to approve it within an hour:\nhermes pairing approve ${platform} ${code}`;
    return { as: 'stranger', reply };
  }

  #tier({ platform, chat_type: type, user_id: id }: SessionSource): {
    readonly tier: Tier;
    readonly commands: ReadonlySet<string>;
  } {
    const extra = this.#options.platform(platform)?.config.extra ?? {};
    const inGroup = type !== 'dm';
    const admins = listOf(extra[inGroup ? 'group_allow_admin_from' : 'allow_admin_from']);
    const groupCommands = listOf(extra['group_user_allowed_commands']);
    const commands = inGroup ? groupCommands : (listOf(extra['user_allowed_commands']) ?? groupCommands);
    const plain = new Set(
      [...(commands ?? [])].map((name) => name.replace(/^\//, '').toLowerCase().replaceAll('_', '-')),
    );
    if (admins === undefined || admins.size === 0) return { tier: 'unrestricted', commands: plain };
    return { tier: id !== null && (admins.has('*') || admins.has(id)) ? 'admin' : 'user', commands: plain };
  }
}

function hasList({ users, everywhere, groupUsers }: AccessLists): boolean {
  return users !== undefined || everywhere !== undefined || groupUsers !== undefined;
}

/** The adapter has looked at a list of its own already. */
function hasOwnPolicy({ extra }: PlatformConfig, inGroup: boolean): boolean {
  return extra[inGroup ? 'group_policy' : 'dm_policy'] === 'allowlist';
}
