/** Matrix: an account on a homeserver, in plain and in encrypted rooms. */
import { platformHint } from '../../../prompt/platform-hints.ts';
import type { Platform } from '../../platform/platform.ts';
import { MatrixAdapter } from './adapter.ts';
import { readMatrix } from './read-settings.ts';

export const platform: Platform = {
  name: 'matrix',
  label: 'Matrix',
  emoji: '🔐',
  maxMessageLength: 16_000,
  lengthUnit: 'codepoint',
  piiSafe: false,
  sendsOnce: true,
  bindsPort: false,
  transportAuthenticated: false,
  commandPrefix: '!',
  hint: platformHint('matrix', {}),
  requiredVariables: [
    { name: 'MATRIX_HOMESERVER', prompt: 'Address of the homeserver, such as https://matrix.org', secret: false },
    {
      name: 'MATRIX_ACCESS_TOKEN',
      prompt: 'Access token of the account (or leave it out and give a password)',
      secret: true,
      optional: true,
    },
    { name: 'MATRIX_USER_ID', prompt: 'Name of the account, such as @bot:matrix.org', secret: false, optional: true },
    {
      name: 'MATRIX_PASSWORD',
      prompt: 'Password of the account, where there is no access token',
      secret: true,
      optional: true,
    },
    {
      name: 'MATRIX_ALLOWED_USERS',
      prompt: 'Who may talk to it, with commas between them, such as @you:matrix.org',
      secret: false,
      optional: true,
    },
    {
      name: 'MATRIX_HOME_ROOM',
      prompt: 'Room for messages that nobody asked for there, such as results of scheduled jobs',
      secret: false,
      optional: true,
    },
  ],
  allowedUsersVariable: 'MATRIX_ALLOWED_USERS',
  allowAllVariable: 'MATRIX_ALLOW_ALL_USERS',
  homeVariable: 'MATRIX_HOME_ROOM',
  setupHint:
    'Make an account for the bot on your homeserver; Element shows its access token under Settings, Help & About.',
  read: readMatrix,
  create: (host) => new MatrixAdapter(host),
};
