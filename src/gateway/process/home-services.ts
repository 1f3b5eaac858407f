/** What adapters reach of a home and of the world outside, in a gateway and without one. */
import { join } from 'node:path';
import type { Home } from '../../config/home.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { AdapterServices } from '../connections/platform-connections.ts';
import { NotesInHome } from './adapter-notes.ts';
import { fetchOutside } from './fetch-outside.ts';

export function homeServices(
  home: Home,
  { config, models }: Pick<LoadedConfig, 'config' | 'models'>,
): Omit<AdapterServices, 'lock' | 'unlock' | 'moved'> {
  const { proxies, trusts } = models.network;
  return {
    network: { proxies, trusts, ...(config.network.force_ipv4 ? { ipv4Only: true } : {}) },
    fetchOutside: fetchOutside({
      proxies,
      maxBytes: config.gateway.max_inbound_media_bytes || Number.MAX_SAFE_INTEGER,
    }),
    notes: (platform) => new NotesInHome(home.path, platform),
    folder: async (platform) => {
      const path = join(home.path, 'platforms', platform);
      makeDirectories(path, 0o700);
      return await Promise.resolve(path);
    },
  };
}
