/** An adapter without a gateway, for a program that asks or says one thing and ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from '../../config/home.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Log } from '../../lib/log.ts';
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';
import type { PlatformAdapter } from '../platform/adapter.ts';
import type { AdapterClock, AdapterNotes } from '../platform/adapter-host.ts';
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
export function loneAdapter({ platform, config, home, loaded, log, notes }: LoneAdapterOptions): PlatformAdapter {
  const services = homeServices(home, loaded);
  const { name } = platform;
  return platform.create({
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
    press: async () => await Promise.resolve({ as: 'stale' }),
    isAuthorized: async () => await Promise.resolve(false),
    failed: () => undefined,
    lock: async () => await Promise.resolve(),
  });
}
