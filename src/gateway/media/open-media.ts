/** The files of a home's chats, in both directions. */
import { isAbsolute } from 'node:path';
import { expandTilde, userDirectory } from '../../config/home.ts';
import type { Program } from '../../runtime/program.ts';
import { realPathOrSame, thisDisk } from '../../runtime/this-disk.ts';
import { createPathGuard, type PathGuard } from '../../safety/paths.ts';
import type { ChatMedia } from './chat-media.ts';
import { inlinePictures } from './inline-pictures.ts';
import { MediaCache } from './media-cache.ts';
import { receiveMedia } from './receive-media.ts';
import { takePictures } from './take-pictures.ts';
import { voiceReader } from './voice-reader.ts';
import { mediaOf, type TakenMedia } from './take-media.ts';

export interface Media extends Pick<ChatMedia, 'receive' | 'takePictures'> {
  readonly cache: MediaCache;
  takeFiles(text: string): TakenMedia;
  /** For readers that get nothing but the text. */
  inlinePictures(text: string): Promise<string>;
}

export interface MediaOwner extends Pick<Program, 'log'> {
  readonly options: Pick<Program['options'], 'home' | 'env' | 'config'>;
  /** Absent: nobody is logged in. */
  readonly models?: Program['models'];
  /** Absent: there are none. */
  readonly plugins?: Program['plugins'];
}

/** What may be sent is decided anew for each file; the guard is made when the first one is named. */
export function openMedia(
  { options, models: logins, plugins, log }: MediaOwner,
  clock: { now(): number } = Date,
): Media {
  const { home, env, config } = options;
  const { gateway } = config.config;
  const { models } = config;
  const userHome = userDirectory(env);
  const cache = new MediaCache({ homePath: home.path, maxBytes: gateway.max_inbound_media_bytes, clock });
  let guard: PathGuard | undefined;
  const voiceOf = voiceReader(
    {
      home,
      config,
      env,
      ...(logins === undefined ? {} : { models: logins }),
      ...(plugins === undefined ? {} : { plugins }),
    },
    log.named('gateway.media'),
  );
  const rules = {
    folders: cache.folders,
    allowed: gateway.media_delivery_allow_dirs.map((folder) => expandTilde(folder, env)).filter(isAbsolute),
    homes: [home.path, home.root],
    userHome,
    strict: gateway.strict,
    recentSeconds: gateway.trust_recent_files ? gateway.trust_recent_files_seconds : 0,
    guard: {
      denyRead(path: string) {
        guard ??= createPathGuard({
          homePath: home.path,
          root: home.root,
          userHome,
          follow: realPathOrSame,
          disk: thisDisk,
        });
        return guard.denyRead(path);
      },
    },
    clock,
  };
  return {
    cache,
    receive(event, connection, signal) {
      const voice = voiceOf(event, connection);
      const options = { cache, log: log.named('gateway.media'), adapter: connection?.adapter, signal };
      return receiveMedia(event, voice === undefined ? options : { ...options, voice });
    },
    inlinePictures: (text) => inlinePictures(text, userHome, rules),
    takeFiles: (text) => mediaOf(text, userHome, rules),
    takePictures: (answer, hosts, signal) =>
      takePictures(answer, {
        cache,
        signal,
        log: log.named('gateway.media'),
        proxies: models.network.proxies,
        allowPrivate: config.config.security.allow_private_urls,
        // Once a stranger may have had a word, an address is asked only where the person named its host.
        ...(hosts.hasStrangeText ? { hosts } : {}),
      }),
  };
}
