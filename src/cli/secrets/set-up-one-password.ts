/** `hermes secrets onepassword setup`. */
import { join } from 'node:path';
import { setEnvValue } from '../../config/dotenv-edit.ts';
import { updateConfig } from '../../config/edit.ts';
import { isVariableName } from '../../config/env-values.ts';
import { refusePackagedInstall, refusePinnedKey, refusePinnedVariable } from '../../config/managed.ts';
import { UserError } from '../../lib/errors.ts';
import { SourceFailure } from '../../secret-sources/failure.ts';
import { onePasswordAccount, onePasswordVersion } from '../../secret-sources/one-password.ts';
import { plain } from '../auth/describe.ts';
import type { CliContext } from '../command.ts';

export interface OnePasswordSetup {
  readonly account?: string;
  readonly tokenEnv?: string;
  readonly token?: string;
  readonly binaryPath?: string;
}

const answerMs = 30_000;

/** Throws `UserError`, and then nothing was stored; being logged out is no failure, as that changes by itself. */
export async function setUpOnePassword(context: CliContext, given: OnePasswordSetup): Promise<void> {
  const { home, env, io } = context;
  refusePackagedInstall(home, env);
  const { config, managed } = await context.config();
  const configured = config.secrets.onepassword;
  const tokenName = given.tokenEnv?.trim() ?? configured.service_account_token_env;
  if (!isVariableName(tokenName)) {
    throw new UserError(`'${plain(tokenName.slice(0, 80))}' is no name of a variable; nothing was changed.`, {
      exitCode: 2,
      hint: 'Names consist of letters, digits and underscores and do not start with a digit.',
    });
  }
  const token = given.token?.trim() || undefined;
  if (token !== undefined) refusePinnedVariable(managed, tokenName);
  const settings = {
    ...configured,
    account: given.account?.trim() ?? configured.account,
    binary_path: given.binaryPath?.trim() ?? configured.binary_path,
    service_account_token_env: tokenName,
  };
  const changes = Object.entries({
    enabled: true,
    ...(given.account === undefined ? {} : { account: settings.account }),
    ...(given.tokenEnv === undefined ? {} : { service_account_token_env: tokenName }),
    ...(given.binaryPath === undefined ? {} : { binary_path: settings.binary_path }),
  });
  for (const [key] of changes) refusePinnedKey(managed, `secrets.onepassword.${key}`);
  const trial = { ...env, ...(token === undefined ? {} : { [tokenName]: token }) };
  const version = await onePasswordVersion(settings, trial, AbortSignal.timeout(answerMs));
  const problem = await onePasswordAccount(settings, trial, AbortSignal.timeout(answerMs)).then(
    () => undefined,
    failureOf,
  );
  if (token !== undefined && problem !== undefined) {
    throw new UserError(`1Password did not take the token: ${problem.message} (${problem.kind})`, {
      hint: 'Nothing was changed.',
    });
  }

  if (token !== undefined) setEnvValue(join(home.path, '.env'), tokenName, token);
  await updateConfig(
    context,
    changes.map(([key, value]) => ({ path: ['secrets', 'onepassword', key], value })),
  );
  io.stdout.write(`✓ 1Password is on (op ${plain(version)}).\n`);
  if (problem !== undefined) {
    io.stderr.write(`op is not logged in: ${problem.message}\n`);
    io.stderr.write('Run `op signin`, or store the token of a service account with --token.\n');
  }
  io.stdout.write('  Next: hermes secrets onepassword set OPENAI_API_KEY "op://Private/OpenAI/api key"\n');
}

function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  throw error;
}
