/** Commands and flags of the original that belong to parts this build does not have; asking for one says which part. */

interface MissingPart {
  /** What it is called in the answer. */
  readonly part: string;
  /** Paths of commands (`skills publish`), whole or followed by one flag (`chat --tui`); `/goal` for those of the chat. */
  readonly names: readonly string[];
}

export const missingParts: readonly MissingPart[] = [
  {
    part: 'the gateway to chat platforms',
    names: ['slack', 'whatsapp', 'whatsapp-cloud', 'update --gateway'],
  },
  { part: 'the command and the dispatcher of boards of tasks', names: ['kanban'] },
  { part: 'projects', names: ['project'] },
  { part: 'the relay to chat platforms', names: ['gateway enroll'] },
  {
    part: 'one gateway for several profiles',
    names: ['gateway run --force', ...['start', 'restart', 'status'].map((name) => `gateway ${name} --platform`)],
  },
  { part: 'services on Windows', names: ['gateway install --elevated-handoff'] },
  { part: 'a supervised container image', names: ['gateway run --no-supervise'] },
  { part: 'the web dashboard and its server', names: ['dashboard', 'serve', 'console'] },
  { part: 'the desktop program', names: ['desktop', 'gui', 'uninstall --gui', 'uninstall --gui-summary'] },
  { part: 'the editor server', names: ['acp'] },
  { part: 'the subscription of the vendor', names: ['portal', 'setup --portal'] },
  { part: 'the upload of reports', names: ['debug share --expire', 'debug share --nous', 'debug delete'] },
  { part: 'music', names: ['auth spotify'] },
  { part: 'the pictures of what was learned', names: ['journey', 'learning', 'memory-graph'] },
  { part: 'pets', names: ['pets'] },
  { part: 'moves from other programs', names: ['claw', 'migrate'] },
  { part: 'the upload of traces', names: ['sessions export --upload', 'sessions export --public'] },
  { part: 'helper programs of tools', names: ['tools post-setup'] },
  { part: 'the Python environment of the original', names: ['update --force', 'update --force-venv'] },
  { part: 'runs in the background', names: ['curator run --background'] },
  { part: 'the command and the dispatcher of boards of tasks', names: ['/kanban'] },
  { part: 'standing goals', names: ['/goal', '/subgoal'] },
  { part: 'the subscription of the vendor', names: ['/subscription', '/upgrade', '/topup'] },
  { part: 'the app server of Codex', names: ['/codex-runtime'] },
  { part: 'the pictures of what was learned', names: ['/journey', '/learning', '/memory-graph'] },
  { part: 'pets', names: ['/pet', '/hatch', '/generate-pet'] },
  { part: 'the full-screen terminal', names: ['/indicator'] },
  {
    part: 'logins through an address of your own',
    names: ['model', 'auth add'].flatMap((command) =>
      ['--portal-url', '--inference-url', '--client-id', '--scope', '--ca-bundle', '--insecure', '--timeout'].map(
        (flag) => `${command} ${flag}`,
      ),
    ),
  },
];

const partsByName: ReadonlyMap<string, string> = new Map(
  missingParts.flatMap(({ part, names }) => names.map((name) => [name, part] as const)),
);

/** Names of whole commands, sorted. */
export const notInThisBuild: readonly string[] = [...partsByName.keys()].filter((name) => !/[ /]/.test(name)).sort();

/** The part that a command, a sub-command or a flag of one belongs to; undefined for what is here or never was. */
export function missingPart(path: string): string | undefined {
  return partsByName.get(path);
}

/** One clear line for such a name. */
export function missingLine(path: string, part: string): string {
  const subject = /^(.*) (--\S+)$/.exec(path);
  const command = path.startsWith('/') ? path : `'hermes ${path}'`;
  const what = subject === null ? command : `${subject[2]} of 'hermes ${subject[1]}'`;
  return `${what} is not available in this build: it belongs to ${part}.`;
}

/** The same for what was typed in a chat; undefined when its first word is no slash command of such a part. */
export function missingSlashLine(typed: string): string | undefined {
  const word = /^\/\S+/.exec(typed.trim())?.[0].toLowerCase().replaceAll('_', '-');
  const part = word === undefined ? undefined : missingPart(word);
  return word === undefined || part === undefined ? undefined : missingLine(word, part);
}
