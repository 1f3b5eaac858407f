/** What the steps of choosing a model share: what is configured now, whom to ask, and what is pinned. */
import type { LoadedConfig } from '../../config/load.ts';
import type { ModelKnowledge } from '../../models/model-facts.ts';
import type { ModelAccess } from '../../runtime/model-access.ts';
import type { ModelSettings } from '../../providers/model-settings.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { CliContext } from '../command.ts';
import type { Prompts } from './prompts.ts';
import type { ResetScope } from './reset.ts';

export interface ModelSetting {
  readonly context: CliContext;
  readonly prompts: Prompts;
  readonly loaded: LoadedConfig;
  readonly settings: ModelSettings;
  readonly knowledge: ModelKnowledge;
  readonly credentials: Credentials;
  /** For a test message. */
  readonly resolve: ModelAccess['resolve'];
  readonly options: ModelOptions;
}

export interface ModelOptions {
  /** False: an address is shown and not opened. */
  readonly browser?: boolean;
  /** The address that a login led to is pasted. */
  readonly manualPaste?: boolean;
  /** What is known of models is fetched again first. */
  readonly refresh?: boolean;
  /** What is there already is not asked for again. */
  readonly onlyMissing?: boolean;
  /** This provider, without a question. */
  readonly provider?: string;
  /** These settings are put back to their defaults in the same step. */
  readonly reset?: ResetScope | undefined;
}
