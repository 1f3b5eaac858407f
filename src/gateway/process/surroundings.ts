/** What the operator should hear of the settings before anybody writes: nobody may speak, or everybody may. */
import { join } from 'node:path';
import { parseEnvText, readEnvText } from '../../config/dotenv.ts';
import { firstSet, isOn } from '../../config/env-values.ts';
import type { Variables } from '../../config/variables.ts';
import { isPlaceholder } from '../../lib/secrets.ts';
import { platformCatalogue } from '../catalogue.ts';
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';
import { accessLists } from '../intake/access-lists.ts';

/** Undefined when somebody was let in somewhere. */
export function openDoorWarning(platforms: readonly ConfiguredPlatform[], variables: Variables): string | undefined {
  if (platforms.length === 0 || isOn(firstSet(variables, ['GATEWAY_ALLOW_ALL_USERS'])?.value)) return undefined;
  const known = platforms.some(({ platform, config }) => {
    if (platform.transportAuthenticated) return true;
    const { users, everywhere, groupUsers, groups, allowAll } = accessLists(platform, config, variables);
    return users !== undefined || everywhere !== undefined || groupUsers !== undefined || groups.size > 0 || allowAll;
  });
  if (known) return undefined;
  const names = platforms.map(({ platform }) => platform.allowedUsersVariable).join(', ');
  return `No list of people is set (${names} or GATEWAY_ALLOWED_USERS in .env): whoever writes first is only told a pairing code, which you approve with: hermes pairing approve`;
}

/** A token that was never filled in counts as none; the operator has to hear why the platform stays away. */
export function placeholderWarnings(homePath: string): readonly string[] {
  const names = new Map(platformCatalogue.flatMap(({ name, variables }) => variables.map((each) => [each, name])));
  const settings = parseEnvText(readEnvText(join(homePath, '.env')) ?? '').flatMap(({ setting }) => setting ?? []);
  return settings.flatMap(({ name, value }) => {
    const platform = names.get(name);
    if (platform === undefined || value.trim() === '' || !isPlaceholder(value)) return [];
    return [`${platform} is not started: ${name} in .env holds a placeholder, not a token.`];
  });
}
