/**
 * What a login to a server left in `mcp-tokens/` of the home: `<server>.json` (tokens), `.client.json` (as whom we are
 * registered) and `.meta.json` (who grants), in the names of the standards, shared with the program the home came from.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { withFileLock } from '../../lib/file-lock.ts';
import { parseJson } from '../../lib/json.ts';

/** Absent and null are the same in these files. */
function maybe<Value extends z.ZodType>(value: Value) {
  return value.nullish().transform((read) => read ?? undefined);
}

const tokensSchema = z.looseObject({
  access_token: z.string().min(1),
  token_type: maybe(z.string()),
  refresh_token: maybe(z.string().min(1)),
  scope: maybe(z.string()),
  expires_in: maybe(z.coerce.number()),
  /** Seconds since 1970. */
  expires_at: maybe(z.number()),
  // What follows is ours; the other program leaves it out.
  issuer: maybe(z.string()),
  /** What the tokens were asked for (RFC 8707). */
  resource: maybe(z.string()),
  /** Where they may be sent. */
  server_url: maybe(z.string()),
  /** What the server has asked for since and this login does not have. */
  wanted_scope: maybe(z.string()),
});

/** Times in seconds since 1970, as in the file. */
export type StoredTokens = z.infer<typeof tokensSchema>;

const clientSchema = z.looseObject({
  client_id: z.string().min(1),
  client_secret: maybe(z.string()),
  token_endpoint_auth_method: maybe(z.string()),
  issuer: maybe(z.string()),
});

export type StoredClient = z.infer<typeof clientSchema>;

const metadataSchema = z.looseObject({
  issuer: z.string().min(1),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string().optional(),
  response_types_supported: z.array(z.string()).catch(['code']),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional().catch(undefined),
});

export type StoredMetadata = z.infer<typeof metadataSchema>;

/** Others may be asking for new tokens before us, each with its deadlines. */
const lockTimeoutMs = 90_000;
const maxBytes = 1024 * 1024;

export class LoginFiles {
  readonly #directory: string;
  readonly #stem: string;

  constructor(homePath: string, server: string) {
    this.#directory = join(homePath, 'mcp-tokens');
    // As the original names them: a name may hold what no file name should.
    const plain = server.replaceAll(/[^\p{L}\p{N}_-]/gu, '_').replaceAll(/^_+|_+$/g, '');
    this.#stem = plain.slice(0, 128) || 'default';
  }

  get tokensPath(): string {
    return join(this.#directory, `${this.#stem}.json`);
  }

  /** As they are on disk now; undefined when there are none, or nothing that can be used. */
  tokens(): StoredTokens | undefined {
    const tokens = read(this.tokensPath, tokensSchema);
    if (tokens === undefined || tokens.expires_at !== undefined || tokens.expires_in === undefined) return tokens;
    // Old files say only how long, not since when.
    const written = statSync(this.tokensPath, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return { ...tokens, expires_at: written / 1000 + tokens.expires_in };
  }

  client(): StoredClient | undefined {
    return read(this.#pathOf('client'), clientSchema);
  }

  metadata(): StoredMetadata | undefined {
    return read(this.#pathOf('meta'), metadataSchema);
  }

  /** The tokens come last: who finds them finds the rest. Throws `UserError`. */
  save(login: {
    readonly tokens: StoredTokens;
    readonly client?: object;
    readonly metadata?: object | undefined;
  }): void {
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      chmodSync(this.#directory, 0o700);
      if (login.client !== undefined) write(this.#pathOf('client'), login.client);
      if (login.metadata !== undefined) write(this.#pathOf('meta'), login.metadata);
      write(this.tokensPath, login.tokens);
    } catch (error) {
      throw new UserError(`The login cannot be written below ${this.#directory}: ${errorMessage(error)}`, {
        hint: 'Check who owns the directory, and its permissions.',
        cause: error,
      });
    }
  }

  /** True when there was a login. */
  remove(): boolean {
    const had = this.tokens() !== undefined;
    for (const path of [this.tokensPath, this.#pathOf('client'), this.#pathOf('meta')]) rmSync(path, { force: true });
    return had;
  }

  /** One process at a time asks for new tokens: a refresh token is good for one time. */
  async locked<T>(work: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    const options = { timeoutMs: lockTimeoutMs, ...(signal === undefined ? {} : { signal }) };
    return await withFileLock(join(this.#directory, `${this.#stem}.lock`), work, options);
  }

  #pathOf(kind: 'client' | 'meta'): string {
    return join(this.#directory, `${this.#stem}.${kind}.json`);
  }
}

function read<Schema extends z.ZodType>(path: string, schema: Schema): z.infer<Schema> | undefined {
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? maxBytes + 1) > maxBytes) return undefined;
    const parsed = schema.safeParse(parseJson(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // What cannot be read is no login; logging in again tells what is wrong with the file.
    return undefined;
  }
}

function write(path: string, value: object): void {
  writeFileAtomic(path, `${JSON.stringify(value, undefined, 2)}\n`);
}
