/** An adapter without a gateway, for a program that asks or says one thing and ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from '../../config/home.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Log } from '../../lib/log.ts';
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';
import type { PlatformAdapter } from '../platform/adapter.ts';
import type { AdapterClock, AdapterHost, AdapterNotes } from '../platform/adapter-host.ts';
import { homeServices } from './home-services.ts';

export interface LoneAdapterOptions extends ConfiguredPlatform {
  readonly home: Home;
  readonly loaded: LoadedConfig;
  readonly log: Log;
  /** Default: those of the home. */
  readonly notes?: AdapterNotes;
}

/** The process stays while something waits. */
export const loneClock: AdapterClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  random: () => Math.random(),
};

/** Not to be connected: nothing that arrived would be kept. */
export function loneAdapter(options: LoneAdapterOptions): PlatformAdapter {
  return options.platform.create(loneHost(options));
}

/** To send with, and for nothing else. Throws `UserError` where the platform cannot be written to without the gateway. */
export function loneSender(options: LoneAdapterOptions): PlatformAdapter {
  const { platform } = options;
  const host = loneHost(options);
  return platform.createSender?.(host) ?? platform.create(host);
}

function loneHost({ platform, config, home, loaded, log, notes }: LoneAdapterOptions): AdapterHost {
  const services = homeServices(home, loaded);
  const { name } = platform;
  return {
    config,
    log: log.named('gateway').named(name),
    clock: loneClock,
    network: services.network,
    fetchOutside: services.fetchOutside,
    notes: notes ?? services.notes(name),
    folder: () => services.folder(name),
    accept: async () => await Promise.resolve('ignored'),
    // It arrives all the same; the next gateway hears of it too.
    moved: async () => await Promise.resolve(),
    threadGone: () => undefined,
    press: async () => await Promise.resolve({ as: 'stale' }),
    isAuthorized: async () => await Promise.resolve(false),
    failed: () => undefined,
    lock: async () => await Promise.resolve(),
  };
}
