/** Matrix: an account on a homeserver, in plain and in encrypted rooms. */
import { platformHint } from '../../../prompt/platform-hints.ts';
import { allAre } from '../../intake/access-lists.ts';
import type { Platform } from '../../platform/platform.ts';
import { MatrixAdapter } from './adapter.ts';
import { readMatrix } from './read-settings.ts';

/** Without its server a name may be that of somebody else. */
const account = /^@[^\s:]+:\S+$/;

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
    {
      name: 'MATRIX_HOMESERVER',
      prompt: 'Address of the homeserver, such as https://matrix.org',
      secret: false,
      check: (address) =>
        /^https?:\/\/\S+$/.test(address) ? undefined : 'An address that begins with https://, please.',
    },
    {
      name: 'MATRIX_ACCESS_TOKEN',
      prompt: 'Access token of the account (or leave it out and give a password)',
      secret: true,
      optional: true,
    },
    {
      name: 'MATRIX_USER_ID',
      prompt: 'Name of the account, such as @bot:matrix.org',
      secret: false,
      optional: true,
      insteadOf: 'MATRIX_ACCESS_TOKEN',
      check: (name) => (account.test(name) ? undefined : 'Names of accounts look like @bot:matrix.org.'),
    },
    {
      name: 'MATRIX_PASSWORD',
      prompt: 'Password of the account',
      secret: true,
      optional: true,
      insteadOf: 'MATRIX_ACCESS_TOKEN',
    },
    {
      name: 'MATRIX_ALLOWED_USERS',
      prompt: 'Who may talk to it, with commas between them, such as @you:matrix.org',
      secret: false,
      optional: true,
      check: (names) => (allAre(account, names) ? undefined : 'Names of accounts look like @you:matrix.org.'),
    },
    {
      name: 'MATRIX_HOME_ROOM',
      prompt: 'Room for messages that nobody asked for there, such as results of scheduled jobs',
      secret: false,
      optional: true,
      check: (id) =>
        /^!\S+$/.test(id)
          ? undefined
          : 'Ids of rooms look like !abc:matrix.org; Element shows them in the settings of the room.',
    },
  ],
  allowedUsersVariable: 'MATRIX_ALLOWED_USERS',
  allowAllVariable: 'MATRIX_ALLOW_ALL_USERS',
  homeVariable: 'MATRIX_HOME_ROOM',
  readAddress(text) {
    const [, chatId, threadId = null] = /^(!\S+?)(?::(\$\S+))?$/.exec(text) ?? [];
    return chatId === undefined ? undefined : { chatId, threadId };
  },
  setupHint:
    'Make an account for the bot on your homeserver; Element shows its access token under Settings, Help & About.',
  read: readMatrix,
  create: (host) => new MatrixAdapter(host),
};
