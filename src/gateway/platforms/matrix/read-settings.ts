/** Brings variables and config.yaml together for Matrix, and says what is wrong with them. */
import { isOn } from '../../../config/env-values.ts';
import type { Variables } from '../../../config/variables.ts';
import { isPlaceholder } from '../../../lib/secrets.ts';
import type { PlatformReading } from '../../platform/platform.ts';
import { type Block, checked, type KeysOfPlatform, layered, text, variable } from '../../platform/read-block.ts';
import { ownKeys, shape, sharedKeys } from './settings.ts';

const keys: KeysOfPlatform = {
  label: 'Matrix',
  shape,
  sharedKeys,
  ownKeys,
  aliases: { free_response_channels: 'free_response_rooms', allowed_chats: 'allowed_rooms' },
  patterns: ['mention_patterns', 'ignore_user_patterns'],
};

export function readMatrix(variables: Variables, block: Block): PlatformReading {
  const problems: string[] = [];
  const extra = checked(withOlderSwitch(variables, layered(variables, block, keys)), keys, problems);
  const token = variable(variables, 'MATRIX_ACCESS_TOKEN') ?? text(block['token']) ?? text(block['access_token']);
  if (token !== undefined && isPlaceholder(token)) {
    problems.push(
      'The access token of Matrix is only an example: put the one of the account into MATRIX_ACCESS_TOKEN.',
    );
    return { configured: false, extra, problems };
  }
  const hasLogin = extra['user_id'] !== undefined && extra['password'] !== undefined;
  const hasServer = extra['homeserver'] !== undefined;
  if (token !== undefined && !hasServer) problems.push('MATRIX_HOMESERVER is not set: Matrix needs its address.');
  const configured = hasServer && (token !== undefined || hasLogin);
  const length = extra['max_message_length'];
  const limit = typeof length === 'number' ? { maxMessageLength: length } : {};
  return { configured, ...(token === undefined ? {} : { token }), extra, problems, ...limit };
}

/** On means that nothing goes out unencrypted. */
function withOlderSwitch(variables: Variables, block: Block): Block {
  const isEncrypted = isOn(variable(variables, 'MATRIX_ENCRYPTION')) || block['encryption'] === true;
  return isEncrypted ? { ...block, e2ee_mode: block['e2ee_mode'] ?? 'required' } : block;
}
