/** Getting in to a provider: its key is asked for unseen, or its login is used. */
import { UserError } from '../../lib/errors.ts';
import type { ChosenProvider } from '../../providers/choose-provider.ts';
import { isDead } from '../../credentials/cool-down.ts';
import { isLoginProvider } from '../../credentials/oauth/catalogue.ts';
import type { TokenSet } from '../../credentials/oauth/login.ts';
import { keyVariable, namedText } from '../../credentials/keys.ts';
import { usableSecret } from '../../lib/secrets.ts';
import type { ProviderAccess } from '../../llm/provider.ts';
import { otherWayIn, plain } from '../auth/describe.ts';
import { logIn } from '../auth/login.ts';
import { required } from './prompts.ts';
import type { ModelSetting } from './setting.ts';

export interface SignIn {
  /** A new secret, to send while the models are listed; undefined when what is stored will do, or there is none. */
  readonly key: string | undefined;
  /** For `.env`. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** For `auth.json`. */
  readonly login?: TokenSet;
}

const nothingNew: SignIn = { key: undefined, variables: [] };

/**
 * Stores nothing. `sameEndpoint`: provider and address are those in use, so that the key in the settings is for them.
 * Throws `Cancelled`, and `UserError` when there is no way in from here.
 */
export async function authenticate(
  setting: ModelSetting,
  chosen: ChosenProvider,
  sameEndpoint: boolean,
): Promise<SignIn> {
  const { prompts, credentials, options, settings, context } = setting;
  const { profile, saved } = chosen;
  const known = credentials.of(chosen.id).find(({ secret }) => secret !== '');
  const other = otherWayIn(profile.auth);
  if (other !== undefined) {
    prompts.say(`${profile.name ?? profile.id} ${other}.`);
    return nothingNew;
  }
  if (profile.auth === 'oauth_device_code' || profile.auth === 'oauth_pkce') return await useLogin(setting, chosen);
  // The key of a saved endpoint is asked for when it is made.
  const inConfig = usableSecret(settings.api_key) ?? usableSecret(namedText(settings.key_env, context.env));
  if (sameEndpoint && saved === undefined && inConfig !== undefined) {
    prompts.say(`The key is in ${settings.api_key ? 'config.yaml (model.api_key)' : plain(settings.key_env ?? '')}.`);
    return nothingNew;
  }
  if (profile.auth === 'copilot' && known === undefined) return await useGitHub(setting, chosen);
  if (saved !== undefined || (options.onlyMissing === true && known !== undefined)) return nothingNew;
  return await askForKey(setting, chosen, known !== undefined);
}

/** The login that is there, unless it has ended or the person wants another one. */
async function useLogin(setting: ModelSetting, chosen: ChosenProvider): Promise<SignIn> {
  const { id, profile } = chosen;
  const { prompts, credentials, context, options } = setting;
  const name = profile.name ?? profile.id;
  const known = credentials.of(id).find(({ entry }) => !isDead(entry));
  if (known !== undefined) {
    const again =
      options.onlyMissing !== true &&
      (await prompts.select(`You are logged in to ${name} (${plain(known.entry.label)}).`, [
        { value: 'keep', label: 'Use this login' },
        { value: 'again', label: 'Log in again' },
      ])) === 'again';
    if (!again) return nothingNew;
  }
  if (!isLoginProvider(id)) {
    throw new UserError(`There is no login for ${name} in this build; nothing was changed.`, {
      hint: 'Choose another provider.',
    });
  }
  const login = await logIn(context, id, options);
  return { key: login.accessToken, variables: [], login };
}

/** Copilot takes a login, a token, or what GitHub's own program keeps. */
async function useGitHub(setting: ModelSetting, chosen: ChosenProvider): Promise<SignIn> {
  const picked = await setting.prompts.select('How do you log in to GitHub Copilot?', [
    { value: 'login', label: 'Log in with GitHub', hint: 'a code to enter in the browser' },
    { value: 'token', label: 'Paste a token', hint: 'fine-grained, with the "Copilot Requests" permission' },
    { value: 'gh', label: 'Use the login of gh', hint: 'after `gh auth login`' },
  ]);
  if (picked === 'login') return await useLogin(setting, chosen);
  return picked === 'token' ? await askForKey(setting, chosen, false) : nothingNew;
}

/** An empty answer keeps what is there; where a key is optional, it means none. */
async function askForKey(
  { context, prompts, loaded }: ModelSetting,
  { profile }: ChosenProvider,
  hasOne: boolean,
): Promise<SignIn> {
  const variable = keyVariable(profile, context.env);
  if (variable === undefined) return nothingNew;
  const { managed } = loaded;
  if (profile.keyVariables.some((name) => managed.variables.includes(name))) {
    prompts.say(`${variable} (set by your administrator, ${managed.envPath})`);
    return nothingNew;
  }
  const optional = profile.auth === 'optional_api_key';
  const keeps = hasOne ? ' (Enter keeps the stored one)' : optional ? ' (Enter for none)' : '';
  if (profile.signupUrl !== undefined && !hasOne) prompts.say(`Get a key at ${plain(profile.signupUrl)}`);
  const key = await prompts.secret({
    message: `${variable}${keeps}`,
    check(answer) {
      if (answer === '') return !hasOne && !optional ? required(answer) : undefined;
      return complaintAbout(answer, profile);
    },
  });
  return key === '' ? nothingNew : { key, variables: [[variable, key]] };
}

/** Why this cannot be a key; undefined when it can. */
export function complaintAbout(key: string, profile: Pick<ProviderAccess, 'auth'>): string | undefined {
  if (/[\p{Cc}\s]/u.test(key)) return 'A key holds no spaces or line breaks: paste it alone.';
  if (usableSecret(key) === undefined) return 'That is too short for a key, or stands for one: paste the key itself.';
  if (profile.auth === 'copilot' && key.startsWith('ghp_')) {
    return 'Copilot does not accept classic tokens (ghp_…): use a fine-grained one (github_pat_…).';
  }
  return undefined;
}
