/** Which model a conversation would have now, as far as that can be told without asking anybody. */
import { filled } from '../../config/env-values.ts';
import { UserError } from '../../lib/errors.ts';
import { chooseProvider } from '../../providers/choose-provider.ts';
import { openCredentials } from '../auth/credentials.ts';
import type { CliContext } from '../command.ts';

/** `model (provider)`; undefined when no model is named or nothing gets in. Throws `UserError` for a damaged `auth.json`. */
export async function modelThatIsSet(context: CliContext): Promise<string | undefined> {
  const { models: variables } = await context.config();
  const credentials = await openCredentials(context);
  try {
    const { id, profile, saved } = chooseProvider({}, { settings: credentials.settings, variables });
    const configured = filled(credentials.settings.default) ?? filled(credentials.settings.model);
    const model = variables.model ?? configured ?? filled(saved?.model) ?? profile.defaultModel;
    if (model === undefined) return undefined;
    // What answers in this process has no address.
    if (profile.apiMode !== 'in_process') await credentials.open({});
    return `${model} (${id})`;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
