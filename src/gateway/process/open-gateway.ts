/** Puts the gateway of a home together. */
import { type Change, updateConfig } from '../../config/edit.ts';
import type { Variables } from '../../config/variables.ts';
import type { Program } from '../../runtime/program.ts';
import type { ChatHooks } from '../chats/chat-deps.ts';
import type { RunCommandsOptions } from '../commands/run-commands.ts';
import { Gateway, type GatewayOptions } from '../gateway.ts';
import type { Guests, Lender } from '../lending.ts';
import type { ChatMedia } from '../media/chat-media.ts';
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';
import { ListAuthorization } from '../intake/list-authorization.ts';
import { Pairing } from '../intake/pairing.ts';
import { type PlatformSources, readPlatform } from './configured-platforms.ts';
import { diskRoom } from './disk-room.ts';
import { homeServices } from './home-services.ts';
import { moveInSettings } from './moved-settings.ts';
import { lazyCommands } from './lazy-commands.ts';
import type { TokenLocks } from './token-locks.ts';

export interface OpenGatewayOptions extends RunCommandsOptions {
  readonly program: Program;
  readonly platforms: readonly ConfiguredPlatform[];
  readonly locks: TokenLocks;
  readonly hooks: ChatHooks;
  readonly media: ChatMedia;
  /** Those of `.env` as it is now. */
  variables(): Variables;
  onStatus: GatewayOptions['onStatus'];
  paused?(): string | undefined;
  readonly resumes?: boolean;
  readonly profile?: string;
  lender?(): Lender | undefined;
  readonly guests?: Guests;
}

/** Throws `UserError` when nothing can be written down. */
export function openGateway({ program, platforms, locks, hooks, media, ...options }: OpenGatewayOptions): Gateway {
  const { home, config } = program.options;
  let { raw } = config;
  const strangers = config.raw['unauthorized_dm_behavior'];
  return Gateway.open({
    program,
    platforms,
    authorization: new ListAuthorization({
      pairing: new Pairing(home.path),
      variables: () => options.variables(),
      platform: livePlatforms(platforms, () => ({ raw, variables: options.variables() })),
      strangers: strangers === 'pair' || strangers === 'ignore' ? strangers : undefined,
    }),
    commands: lazyCommands(options),
    hooks,
    services: {
      ...homeServices(home, config),
      lock: (platform, scope, identity) => locks.take(platform, scope, identity),
      unlock: (platform) => locks.giveBack(platform),
      async moved(name, from, to) {
        const known = platforms.find(({ platform }) => platform.name === name);
        const saveSettings = async (changes: readonly Change[]): Promise<void> => {
          await updateConfig({ home, env: program.options.env }, changes);
        };
        const settings = { ...options, log: program.log.named('gateway'), raw: () => raw, saveSettings };
        if (known !== undefined) raw = await moveInSettings(known.platform, from, to, settings);
      },
    },
    ...media,
    onStatus: options.onStatus,
    closed: diskRoom(home.path),
    ...(options.paused === undefined ? {} : { paused: () => options.paused?.() }),
    ...(options.resumes === undefined ? {} : { resumes: options.resumes }),
    ...(options.profile === undefined ? {} : { profile: options.profile }),
    ...(options.guests === undefined ? {} : { guests: options.guests }),
    ...(options.lender === undefined ? {} : { lender: () => options.lender?.() }),
  });
}

/** The settings of platforms as the variables are now: lists of people are among them. */
function livePlatforms(platforms: readonly ConfiguredPlatform[], sources: () => PlatformSources) {
  let seen: PlatformSources | undefined;
  let known: readonly ConfiguredPlatform[] = platforms;
  return (name: string): ConfiguredPlatform | undefined => {
    const now = sources();
    if (seen !== undefined && (seen.variables !== now.variables || seen.raw !== now.raw))
      known = platforms.map(({ platform }) => ({ platform, config: readPlatform(platform, now).config }));
    seen = now;
    return known.find(({ platform }) => platform.name === name);
  };
}
