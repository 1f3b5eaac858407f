/** A platform together with what the owner has set for it. */
import type { Platform } from './platform.ts';
import type { PlatformConfig } from './platform-config.ts';

export interface ConfiguredPlatform {
  readonly platform: Platform;
  readonly config: PlatformConfig;
}
