/** Every chat platform, one line each. To add a platform: one folder in `platforms/`, one line here. */
import type { PlatformEntry } from './platform/platform.ts';

export const platformCatalogue: readonly PlatformEntry[] = [
  { name: 'telegram', variables: ['TELEGRAM_BOT_TOKEN'], load: () => import('./platforms/telegram/telegram.ts') },
  {
    name: 'matrix',
    variables: ['MATRIX_ACCESS_TOKEN', 'MATRIX_PASSWORD'],
    load: () => import('./platforms/matrix/matrix.ts'),
  },
];
