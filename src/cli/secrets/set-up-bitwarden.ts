/** `hermes secrets bitwarden setup` and `install`. */
import { join } from 'node:path';
import { setEnvValue } from '../../config/dotenv-edit.ts';
import { updateConfig } from '../../config/edit.ts';
import { refusePackagedInstall, refusePinnedKey, refusePinnedVariable } from '../../config/managed.ts';
import { namedVariable } from '../../config/secret-settings.ts';
import { UserError } from '../../lib/errors.ts';
import { isExecutable } from '../../lib/is-executable.ts';
import {
  bitwarden,
  type BitwardenOptions,
  listProjects,
  ownBws,
  type Project,
} from '../../secret-sources/bitwarden.ts';
import { SourceFailure } from '../../secret-sources/failure.ts';
import { fetchSecrets } from '../../secret-sources/fetch-secrets.ts';
import { installBws } from '../../secret-sources/install-bws.ts';
import { bitwardenOptions } from '../../secret-sources/open-sources.ts';
import { failureText } from '../../secret-sources/warnings.ts';
import { plain } from '../auth/describe.ts';
import type { CliContext } from '../command.ts';
import { Cancelled, openPrompts, required } from '../model/prompts.ts';

export interface BitwardenSetup {
  readonly projectId?: string;
  readonly accessToken?: string;
  readonly serverUrl?: string;
}

/** Throws `UserError`; nothing is stored before Bitwarden has answered. */
export async function setUpBitwarden(context: CliContext, given: BitwardenSetup): Promise<void> {
  try {
    await setUp(context, given);
  } catch (error) {
    if (error instanceof SourceFailure) {
      throw new UserError(`Bitwarden: ${failureText(error)}`, { hint: 'Nothing was changed.', cause: error });
    }
    if (!(error instanceof Cancelled)) throw error;
    context.io.stdout.write('\nNothing was changed.\n');
  }
}

export async function install(context: CliContext, force: boolean): Promise<void> {
  const { home, env, io } = context;
  const target = ownBws(home.path);
  if (!force && isExecutable(target)) {
    io.stdout.write(`${target} is there already; --force downloads it again.\n`);
    return;
  }
  const path = await installBws({ homePath: home.path, env, signal: new AbortController().signal });
  io.stdout.write(`✓ ${path}\n`);
}

async function setUp(context: CliContext, given: BitwardenSetup): Promise<void> {
  const { home, env, io } = context;
  refusePackagedInstall(home, env);
  const { config, managed } = await context.config();
  for (const key of ['enabled', 'project_id', 'server_url']) refusePinnedKey(managed, `secrets.bitwarden.${key}`);
  const configured = config.secrets.bitwarden;
  const name = configured.access_token_env;
  const known = namedVariable(env, name);
  const token = given.accessToken?.trim() || (known ?? (await askForToken(context)));
  if (token !== known) refusePinnedVariable(managed, name);
  const server_url = given.serverUrl?.trim() ?? configured.server_url;
  const trial: BitwardenOptions = {
    ...bitwardenOptions({ homePath: home.path, env, config }),
    env: { ...env, [name]: token },
    settings: { ...configured, server_url },
  };
  const signal = AbortSignal.timeout(configured.timeout_seconds * 1000);
  const project_id = given.projectId?.trim() || (await chooseProject(context, await listProjects(trial, signal)));
  const source = bitwarden({ ...trial, settings: { ...trial.settings, project_id } });
  const [asked] = await fetchSecrets([source], { homePath: home.path, fresh: true });
  if (asked?.failure !== undefined) throw asked.failure;

  if (token !== known) setEnvValue(join(home.path, '.env'), name, token);
  const values = { enabled: true, project_id, ...(given.serverUrl === undefined ? {} : { server_url }) };
  await updateConfig(
    context,
    Object.entries(values).map(([key, value]) => ({ path: ['secrets', 'bitwarden', key], value })),
  );
  const count = asked?.values.size ?? 0;
  const secrets = count === 1 ? 'secret' : 'secrets';
  io.stdout.write(`✓ Bitwarden is on: ${count} ${secrets} in the project ${plain(project_id)}.\n`);
  io.stdout.write('  What becomes of them: hermes secrets bitwarden status\n');
}

async function askForToken({ io }: CliContext): Promise<string> {
  if (!io.stdin.isTTY || !io.stdout.isTTY) {
    throw new UserError('Without a terminal the access token cannot be asked for; nothing was changed.', {
      exitCode: 2,
      hint: 'Name it: hermes secrets bitwarden setup --access-token <token> --project-id <id>',
    });
  }
  const prompts = await openPrompts(io);
  const message = 'Access token (in Bitwarden: Secrets Manager, Machine accounts, Access tokens)';
  return await prompts.secret({ message, check: required });
}

async function chooseProject({ io }: CliContext, projects: readonly Project[]): Promise<string> {
  const [first, ...others] = projects;
  if (first === undefined) {
    throw new UserError('The machine account of this token sees no project; nothing was changed.', {
      hint: 'Give it one in Bitwarden: Secrets Manager, Machine accounts, Projects.',
    });
  }
  if (others.length === 0) return first.id;
  if (!io.stdin.isTTY || !io.stdout.isTTY) {
    const names = projects.map(({ id, name }) => `${plain(id)} (${plain(name)})`).join(', ');
    throw new UserError('There are several projects; nothing was changed.', {
      exitCode: 2,
      hint: `Name one with --project-id: ${names}`,
    });
  }
  const prompts = await openPrompts(io);
  return await prompts.select(
    'Project',
    projects.map(({ id, name }) => ({ value: id, label: name, hint: id })),
  );
}
