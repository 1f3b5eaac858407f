/** Commands of `hermes` itself that plug-ins bring: `hermes <name> …`. */
import * as z from 'zod';
import { callable } from './values.ts';

/** What `registerCliCommand` takes. */
export const cliCommandRegistration = z.looseObject({
  name: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be a name of small letters, digits, _ and -'),
  help: z.string().default(''),
  description: z.string().default(''),
  /** Is given what takes options, arguments and sub-commands. */
  setup_fn: callable.optional(),
  handler_fn: callable,
});

export interface PluginCliCommand extends z.infer<typeof cliCommandRegistration> {
  /** Key of the plug-in. */
  readonly plugin: string;
}
