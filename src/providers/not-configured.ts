/** What is thrown when nobody has told us of any model. */
import { UserError } from '../lib/errors.ts';

/** No provider, key, endpoint or model anywhere: a surface offers the demo or points at the setup. */
export class NotConfiguredError extends UserError {
  override readonly name = 'NotConfiguredError';

  constructor() {
    super('No model is set up yet.', {
      hint:
        'Run `hermes setup`, or set a key with `hermes config set OPENROUTER_API_KEY <key>`, ' +
        'or name a server of your own with `hermes config set model.base_url http://localhost:11434/v1`.',
    });
  }
}
