/** What the model is told of a command that the sandbox kept from something, in one line. */
import type { ToolContext } from '../../agent/tool.ts';
import type { RunResult, Withheld } from '../../environments/environment.ts';
import type { ToolServices } from '../services.ts';

const maxNamed = 3;

/** Of a command that ran to its end, or one that goes on: then without an exit code. */
type Result = Pick<RunResult, 'output' | 'withheld'> & Partial<Pick<RunResult, 'exitCode'>>;

/** Remembers it, so that the same command again is asked about; `undefined` when there was nothing. */
export function withheldNote(
  result: Result,
  command: string,
  directory: string,
  { services, human, rights }: Pick<ToolContext<ToolServices>, 'services' | 'human' | 'rights'>,
): string | undefined {
  const { withheld } = services.state;
  const want = wantIn(result);
  if (want === undefined) {
    if (result.exitCode === 0) withheld.forget(command, directory);
    return undefined;
  }
  const found = result.withheld ?? [];
  // Without a port it is a name that the program looked up by itself, which no gate can let through.
  const refused = found.every(({ kind, what }) => kind === 'network' && /:\d+$/.test(what));
  const hosts = refused ? found.map(({ what }) => what) : [];
  const lasts = found.some((entry) => isLasting(entry, services));
  withheld.remember(command, directory, { words: want, hosts, lasts });
  const again = 'If it needs that, give the very same command again:';
  const asked = hosts.length > 0 ? 'to let it reach that' : 'to run it outside';
  const way =
    rights === 'known' && !lasts
      ? `${again} it then runs outside.`
      : human.present
        ? `${again} the user is asked ${asked}.`
        : 'Nobody is here who could allow it; find another way or tell the user.';
  return `It ran in a sandbox, which kept it from ${want}. ${way}`;
}

function isLasting({ kind, what }: Withheld, { guard }: ToolServices): boolean {
  if (kind !== 'write') return kind === 'network';
  return guard.denyWrite(what) !== undefined || guard.runsLater(what) || guard.isLearned(what);
}

function wantIn({ exitCode, output, withheld = [] }: Result): string | undefined {
  if (withheld.length > 0) {
    const more = withheld.length - maxNamed;
    return [...withheld.slice(0, maxNamed).map(inWords), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  }
  const text = exitCode === undefined || exitCode === 0 ? undefined : refusal.exec(output.slice(-maxTail))?.[0];
  return text === undefined ? undefined : `something it needs, as it seems (“${text}”)`;
}

const maxTail = 4000;
/** What programs say when they lack a right or a key that no list of paths tells of. */
const refusal =
  /Operation not permitted|No such process|Permission denied \(publickey[^)]*\)|Host key verification failed|could not read Username for [^\n]{0,80}|failed to sign the data|Couldn't load public key[^\n]{0,80}|Authentication failed for [^\n]{0,80}/;

const verbs: Readonly<Record<Withheld['kind'], string>> = {
  write: 'writing',
  read: 'reading',
  network: 'connecting to',
};

function inWords({ kind, what }: Withheld): string {
  return `${verbs[kind]} ${what.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
}
