/** Takes over the login of the Codex program, when the user asks for that. */
import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { errorCode, errorMessage, UserError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import { expiryClaim } from './jwt.ts';
import type { TokenSet } from './login.ts';
import { accountFields } from './openai-codex.ts';

const maxBytes = 1024 * 1024;

const schema = z.object({
  tokens: z.object({
    access_token: z.string().min(1),
    refresh_token: z.string().min(1).nullish(),
    id_token: z.string().nullish(),
    account_id: z.string().min(1).nullish(),
  }),
});

/**
 * The tokens in `~/.codex/auth.json`, or wherever `path` leads; undefined when there is no such file. Throws
 * `UserError` for a file without a ChatGPT login. The file is never written: renewing these tokens may end the login
 * of the other program, which should be told to the user beforehand.
 */
export async function importCodexLogin(path: string): Promise<TokenSet | undefined> {
  const text = await readSmallFile(path);
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new UserError(`${path} holds no ChatGPT login.`, {
      hint: 'Log in with `hermes auth add openai-codex --type oauth` instead.',
    });
  }
  const { access_token: accessToken, refresh_token: refreshToken, id_token, account_id } = parsed.data.tokens;
  const expiresAt = expiryClaim(accessToken);
  const account = account_id ? { account_id } : accountFields(id_token, accessToken);
  return {
    accessToken,
    ...(refreshToken ? { refreshToken } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    extra: account,
  };
}

/** The text, or undefined when there is no such file. Throws `UserError` when it cannot be read or is not a small file. */
async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > maxBytes) throw new Error('it is not a regular file, or too large');
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UserError(`${path} cannot be read: ${errorMessage(error)}`, { hint: 'Check who may read it.' });
  }
}
