/** Looks for the login that Anthropic's own program keeps, as one more source of a token for Anthropic. */
import * as z from 'zod';
import { parseJson } from '../../../lib/json.ts';
import type { TokenSet } from './login.ts';
import { readSmallFile } from './read-small-file.ts';

/** What was found; `expired` with one line of what to do. */
export type ClaudeLogin =
  | { readonly kind: 'usable'; readonly tokens: TokenSet }
  | { readonly kind: 'expired'; readonly message: string };

const schema = z.object({
  claudeAiOauth: z.object({
    accessToken: z.string().trim().min(1),
    /** Milliseconds since 1970. */
    expiresAt: z.number().nullish(),
  }),
});

/** A token that ends while a request is on its way is of no use. */
const marginMs = 60_000;

/**
 * The login in `~/.claude/.credentials.json`, or wherever `path` leads; undefined when there is none. Neither written
 * nor renewed: renewing it takes the identity of Anthropic's program, which is not ours to use. Read it again before
 * each session, as that program renews it. `now` is in milliseconds since 1970. Throws `UserError` when the file is
 * there and cannot be read.
 */
export async function readClaudeLogin(path: string, now: number): Promise<ClaudeLogin | undefined> {
  const text = await readSmallFile(path);
  const parsed = schema.safeParse(text === undefined ? undefined : parseJson(text));
  if (!parsed.success) return undefined;
  const { accessToken, expiresAt } = parsed.data.claudeAiOauth;
  if (typeof expiresAt !== 'number') return { kind: 'usable', tokens: { accessToken } };
  if (expiresAt - marginMs > now) {
    return { kind: 'usable', tokens: { accessToken, expiresAt: Math.floor(expiresAt / 1000) } };
  }
  return {
    kind: 'expired',
    message: `The Claude login in ${path} has expired. Run \`claude\` and \`/login\` there to renew it, or set ANTHROPIC_API_KEY.`,
  };
}
