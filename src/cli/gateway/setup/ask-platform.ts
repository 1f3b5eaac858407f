/** Asks for all that one chat platform needs. */
import { firstSet } from '../../../config/env-values.ts';
import type { Platform } from '../../../gateway/platform/platform.ts';
import type { Answers, Asking } from './answers.ts';
import { askForAccess, askForHome } from './ask-access.ts';
import { askForCredentials } from './ask-credentials.ts';

export async function askForPlatform(asking: Asking, platform: Platform): Promise<Answers> {
  const { context, prompts } = asking;
  const { name, label } = platform;
  if (platform.setupHint !== '') prompts.say(platform.setupHint);
  const { variables, settings, report, account, notes } = await askForCredentials(asking, platform);
  const access = await askForAccess(asking, platform, report.config);
  const changed = new Map([...variables, ...access.variables]);
  const usersName = platform.allowedUsersVariable;
  const users = changed.has(usersName) ? changed.get(usersName) : firstSet(context.env, [usersName])?.value;
  const home = await askForHome(asking, platform, users);
  const whom = account === undefined ? 'it' : account;
  return {
    variables: new Map([...changed, ...home]),
    changes: [
      ...Object.entries(settings).map(([key, value]) => ({ path: ['platforms', name, key], value })),
      ...(report.config.enabled ? [] : [{ path: ['platforms', name, 'enabled'], value: true }]),
    ],
    next: [
      access.pairs
        ? `Write to ${whom} in ${label} once the gateway runs. It answers with a code; let yourself in with: hermes pairing approve ${name} CODE`
        : `Write to ${whom} in ${label} once the gateway runs.`,
    ],
    notes,
  };
}
