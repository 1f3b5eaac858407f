/** What the model is told of a script that the sandbox kept from something. */
import type { Withheld } from '../../environments/environment.ts';

const maxNamed = 3;
const verbs: Readonly<Record<Withheld['kind'], string>> = {
  write: 'writing',
  read: 'reading',
  network: 'connecting to',
};

export function withheldWarning(withheld: readonly Withheld[]): string | undefined {
  if (withheld.length === 0) return undefined;
  const named = withheld
    .slice(0, maxNamed)
    .map(({ kind, what }) => `${verbs[kind]} ${what.replaceAll(/\s+/g, ' ').slice(0, 200)}`);
  const more = withheld.length > maxNamed ? `, ${withheld.length - maxNamed} more` : '';
  return `The script ran in a sandbox, which kept it from ${named.join(', ')}${more}. Call a tool for that, which can ask the user.`;
}
