/** The files of credentials that Google Cloud hands out, read and checked. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { parseJson } from '../../lib/json.ts';

const serviceAccount = z.object({
  type: z.literal('service_account'),
  client_email: z.string(),
  private_key: z.string(),
  private_key_id: z.string().exactOptional(),
});

const user = z.object({
  type: z.literal('authorized_user'),
  client_id: z.string(),
  client_secret: z.string(),
  refresh_token: z.string(),
  quota_project_id: z.string().exactOptional(),
  token_uri: z.string().exactOptional(),
});

/** An account elsewhere whose token is changed for one of Google. */
const external = {
  type: z.literal('external_account'),
  audience: z.string(),
  subject_token_type: z.string(),
  token_url: z.string(),
  service_account_impersonation_url: z.string().exactOptional(),
  workforce_pool_user_project: z.string().exactOptional(),
};

const aws = z.object({
  ...external,
  credential_source: z.object({
    environment_id: z.string(),
    regional_cred_verification_url: z.string(),
    region_url: z.string().exactOptional(),
    url: z.string().exactOptional(),
    imdsv2_session_token_url: z.string().exactOptional(),
  }),
});

const format = z.object({
  type: z.enum(['json', 'text']),
  subject_token_field_name: z.string().exactOptional(),
});

const identityPool = z.object({
  ...external,
  credential_source: z.union([
    z.object({ file: z.string(), format: format.exactOptional() }),
    z.object({
      url: z.string(),
      headers: z.record(z.string(), z.string()).exactOptional(),
      format: format.exactOptional(),
    }),
  ]),
});

const accountSchema = z.union([serviceAccount, user, aws, identityPool]);

export type GoogleAccount = z.infer<typeof accountSchema>;

const project = z.object({
  project_id: z.string().min(1).exactOptional(),
  quota_project_id: z.string().min(1).exactOptional(),
});

/** The project that an account belongs to; undefined where its file does not say. What is wrong with it is told by the login. */
export function projectOfAccount(path: string): string | undefined {
  try {
    const parsed = project.safeParse(parseJson(readFileSync(path, 'utf8')));
    return parsed.data?.project_id ?? parsed.data?.quota_project_id;
  } catch {
    return undefined;
  }
}

/** Throws when the file cannot be read, or is of another kind, such as one that names a program to run. */
export async function readGoogleAccount(path: string): Promise<GoogleAccount> {
  const parsed = accountSchema.safeParse(parseJson(await readFile(path, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new Error(`${path} holds no service account, user login or external account`);
}
