/** `hermes setup --non-interactive`: the model that the environment and the settings lead to, without a question. */
import { modelChanges } from '../../config/model-changes.ts';
import { UserError } from '../../lib/errors.ts';
import { filled } from '../../config/env-values.ts';
import { chooseProvider } from '../../providers/choose-provider.ts';
import { openCredentials } from '../auth/credentials.ts';
import { otherWayIn } from '../auth/describe.ts';
import type { CliContext } from '../command.ts';
import { storePlan } from './plan.ts';
import { backUpConfig, resetChanges, type ResetScope, settingsAfter } from './reset.ts';

/** Throws `UserError` when nothing leads to a model. */
export async function setUpWithoutQuestions(context: CliContext, reset: ResetScope | undefined): Promise<void> {
  const { io } = context;
  const loaded = await context.config();
  const credentials = await openCredentials(context);
  const settings = settingsAfter(reset, credentials.settings, loaded);
  const variables = loaded.models;
  const chosen = chooseProvider({}, { settings, variables });
  const { profile, saved } = chosen;
  const hasKey = credentials.of(chosen.id).length > 0 || filled(settings.api_key) !== undefined;
  if (profile.auth !== 'optional_api_key' && !hasKey && otherWayIn(profile.auth) === undefined) {
    throw new UserError(`There are no credentials for ${chosen.id}.`, {
      hint: `Add a key with \`hermes auth add ${chosen.id} --api-key <key>\`, then try again.`,
    });
  }
  const configured = filled(settings.default) ?? filled(settings.model);
  const model = configured ?? variables.model ?? filled(saved?.model) ?? profile.defaultModel;
  if (model === undefined) {
    throw new UserError(`No model is named for ${chosen.id}.`, {
      hint: 'Name one with `hermes config set model.default <model>`, then try again.',
    });
  }
  const backup = reset === undefined ? undefined : backUpConfig(loaded, new Date());
  await storePlan(
    { context, loaded, credentials },
    {
      variables: [],
      changes: [
        ...(reset === undefined ? [] : resetChanges(loaded, reset)),
        ...modelChanges(settings, {
          provider: chosen.id,
          model,
          baseUrl: filled(saved?.base_url) ?? filled(settings.base_url),
          apiMode: filled(settings.api_mode),
          sameEndpoint: reset === undefined,
        }),
      ],
    },
  );
  if (backup !== undefined) io.stdout.write(`The old settings are in ${backup}\n`);
  io.stdout.write(`✓ Model: ${model} (${chosen.id})\n`);
}
