/** Who may speak to a profile through the bot of another one: whoever that one lets in. */
import type { Authorization } from './authorization.ts';

/** `lent`: the authorization of the profile whose bot a platform is; undefined where it is our own. */
export function lentAuthorization(
  own: Authorization,
  lent: (platform: string) => Authorization | undefined,
): Authorization {
  const of = ({ platform }: { readonly platform: string }): Authorization => lent(platform) ?? own;
  return {
    admit: (event) => of(event.source).admit(event),
    mayRun: (command, event) => of(event.source).mayRun(command, event),
    tierOf: (source) => of(source).tierOf(source),
  };
}
