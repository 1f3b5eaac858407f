/** As whom we ask: ids of our own or of the provider, and never one that belongs to another vendor's program. */
import { UserError } from '../../lib/errors.ts';
import type { LoginVariables } from '../../config/model-variables.ts';

interface Registration {
  /** The variable that names another id. */
  readonly variable: string;
  /** Absent = the provider has registered none for this program. */
  readonly known?: string;
  readonly service: string;
  /** Another way in, for those without an id. */
  readonly instead: string;
}

/** The client id to log in with. Throws `UserError` when there is none, or it is no id. */
export function clientIdOf(variables: LoginVariables, { variable, known, service, instead }: Registration): string {
  const id = variables.clientId(variable) ?? known;
  if (id === undefined) {
    throw new UserError(`${service}: logging in needs an OAuth client id, and none is registered for this program.`, {
      hint: `${instead} Or register an application with the provider and set ${variable} to its client id.`,
    });
  }
  if (/^[\x21-\x7e]{1,200}$/.test(id)) return id;
  throw new UserError(`${service}: ${variable} is not a client id.`, { hint: `Correct or remove ${variable}.` });
}
