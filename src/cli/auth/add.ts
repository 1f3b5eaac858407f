/** `hermes auth add`: one more key or login for a provider. */
import { randomBytes } from 'node:crypto';
import { refusePackagedInstall } from '../../config/managed.ts';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { ChosenProvider } from '../../providers/choose-provider.ts';
import { saveEntry } from '../../credentials/stored-pool.ts';
import { isLoginProvider, loginProviders } from '../../credentials/oauth/catalogue.ts';
import type { CliContext } from '../command.ts';
import { complaintAbout } from '../model/authenticate.ts';
import { requireProvider } from '../model/provider-settings.ts';
import { Cancelled, openPrompts, required } from '../model/prompts.ts';
import { type Credentials, openCredentials } from './credentials.ts';
import { otherWayIn, plain, providerName } from './describe.ts';
import { logIn, storeLogin } from './login.ts';

export interface AddOptions {
  readonly type?: string;
  readonly apiKey?: string;
  readonly label?: string;
  readonly browser?: boolean;
  readonly manualPaste?: boolean;
}

/** Throws `UserError`; nothing is stored before the key or login is there. */
export async function addCredential(context: CliContext, name: string, options: AddOptions): Promise<void> {
  const known = await openCredentials(context);
  const chosen = requireProvider(name, known.settings);
  const other = otherWayIn(chosen.profile.auth);
  if (other !== undefined) {
    throw new UserError(`There is nothing to store for ${chosen.id}: it ${other}.`, { exitCode: 2 });
  }
  refusePackagedInstall(context.home, context.env);
  const kind = kindOf(chosen, options);
  if (kind === 'api-key') await addKey(context, known, chosen, options);
  else await addLogin(context, known, chosen, options);
}

function kindOf({ id, profile }: ChosenProvider, { type: wanted, apiKey }: AddOptions): 'api-key' | 'oauth' {
  const loginOnly = profile.auth === 'oauth_device_code' || profile.auth === 'oauth_pkce';
  const type = wanted === 'api_key' ? 'api-key' : wanted;
  if (type !== undefined && type !== 'api-key' && type !== 'oauth') {
    throw new UserError(`Unknown type '${plain(type.slice(0, 40))}'.`, { exitCode: 2, hint: 'Use api-key or oauth.' });
  }
  if (type === 'oauth' && apiKey !== undefined) {
    throw new UserError('--api-key and --type oauth cannot be combined.', { exitCode: 2 });
  }
  if (loginOnly && (type === 'api-key' || apiKey !== undefined)) {
    throw new UserError(`${id} takes no API keys, only a login.`, {
      exitCode: 2,
      hint: `Log in with \`hermes auth add ${id}\`.`,
    });
  }
  return type ?? (loginOnly ? 'oauth' : 'api-key');
}

async function addLogin(
  context: CliContext,
  known: Credentials,
  { id, profile }: ChosenProvider,
  options: AddOptions,
): Promise<void> {
  if (!isLoginProvider(id)) {
    throw new UserError(`${plain(id)} has no login, only API keys.`, {
      exitCode: 2,
      hint: `Add a key with \`hermes auth add ${plain(id)}\`. Logins: ${loginProviders.join(', ')}`,
    });
  }
  try {
    const tokens = await logIn(context, id, options);
    await storeLogin(known.store, profile, tokens, options.label?.trim() || undefined);
    context.io.stdout.write(`✓ Logged in to ${providerName(known, id)}. Choose one of its models with: hermes model\n`);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    if (!context.io.stdin.isTTY) {
      throw new UserError(`The input ended before the login to ${plain(id)} did; nothing was stored.`, {
        hint: 'Run it in a terminal, or pipe in the address on which the browser ends.',
      });
    }
    context.io.stdout.write('\nNothing was changed.\n');
  }
}

async function addKey(
  context: CliContext,
  known: Credentials,
  chosen: ChosenProvider,
  options: AddOptions,
): Promise<void> {
  const { id } = chosen;
  const secret = options.apiKey?.trim() ?? (await askForKey(context, known, chosen));
  if (secret === undefined) return;
  const complaint = complaintAbout(secret, { auth: chosen.profile.auth });
  if (complaint !== undefined) {
    throw new UserError(`That is not an API key for ${id}; nothing was stored.`, { exitCode: 2, hint: complaint });
  }
  if (known.of(id).some((member) => member.secret === secret)) {
    context.io.stdout.write(`${plain(id)} has this key already; nothing was changed.\n`);
    return;
  }
  const label = options.label?.trim() || `key ${known.of(id).length + 1}`;
  await saveEntry(known.store, id, {
    id: randomBytes(3).toString('hex'),
    label,
    auth_type: 'api_key',
    source: 'manual',
    access_token: secret,
  });
  const count = known.of(id).length;
  context.io.stdout.write(`Added ${plain(label)} to ${plain(id)}, which has ${counted(count, 'credential')} now.\n`);
}

/** Undefined when the person does not go on. */
async function askForKey({ io }: CliContext, known: Credentials, { id, profile }: ChosenProvider) {
  if (!io.stdin.isTTY || !io.stdout.isTTY) {
    throw new UserError('Without a terminal the key cannot be asked for.', {
      exitCode: 2,
      hint: `Name it: hermes auth add ${id} --api-key <key>`,
    });
  }
  const prompts = await openPrompts(io);
  const where = profile.signupUrl === undefined ? '' : ` (get one at ${profile.signupUrl})`;
  try {
    return await prompts.secret({ message: `API key for ${providerName(known, id)}${where}`, check: required });
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.outro('Nothing was changed.');
    return undefined;
  }
}
