/** Every chat platform, one line each. To add a platform: one folder in `platforms/`, one line here. */
import type { PlatformEntry } from './platform/platform.ts';

export const platformCatalogue: readonly PlatformEntry[] = [];
