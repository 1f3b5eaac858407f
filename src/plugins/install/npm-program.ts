/** The npm of this machine: where it is, and one careful call of it. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { withoutUserInfo } from '../../config/env-values.ts';
import { completePath, searchPath } from '../../environments/local/find-shell.ts';
import { searchPathOf } from '../../environments/local/search-path.ts';
import { type HelperRun, runHelper } from '../../environments/run-helper.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { maskKeys } from '../../lib/secrets.ts';
import { npmEnvironment } from './npm-environment.ts';
import { measureFolder } from './measure-folder.ts';

export interface NpmPlace {
  /** A folder with a `package.json` of its own. */
  readonly folder: string;
  /** All variables there are; npm gets to see what is its own of them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const longestMs = 300_000;
const maxOutput = 4_000_000;
const watchMs = 1000;
const maxReason = 500;

/** The user's settings say where packages come from; nothing of them may run, link, or lead to another folder. */
const careful = [
  '--ignore-scripts',
  '--global=false',
  '--location=project',
  '--workspaces=false',
  '--dry-run=false',
  '--package-lock=false',
  '--package-lock-only=false',
  '--bin-links=false',
  // A repository may bring settings of its own that name another git; older npm knows only the second line of these.
  ...['git', 'remote', 'file', 'directory'].map((way) => `--allow-${way}=none`),
  `--git=${join('/', 'nonexistent', 'git')}`,
  '--audit=false',
  '--fund=false',
  '--update-notifier=false',
  '--progress=false',
  '--color=false',
  '--loglevel=error',
  '--logs-max=0',
];

/** Brings one package of a registry, with all that it needs in its own `node_modules`. Throws `UserError`. */
export async function npmInstall(spec: string, place: NpmPlace): Promise<void> {
  const { folder, env, signal } = place;
  const [file, ...first] = findNpm(env);
  const tooMuch = new AbortController();
  const watch = setInterval(() => {
    const { excess } = measureFolder(folder);
    if (excess !== undefined) tooMuch.abort(new Error(excess));
  }, watchMs);
  try {
    const run = await runHelper(
      file,
      [...first, 'install', `--prefix=${folder}`, '--install-strategy=shallow', ...careful, '--', spec],
      {
        cwd: folder,
        env: npmEnvironment(env),
        signal: AbortSignal.any([signal, tooMuch.signal, AbortSignal.timeout(longestMs)]),
        maxBytes: maxOutput,
      },
    );
    if (run.code !== 0) throw new UserError(`npm could not install ${spec}: ${reasonOf(run)}`);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const why = isLate ? `it took longer than ${longestMs / 60_000} minutes` : errorMessage(error);
    throw new UserError(`npm could not install ${spec}: ${why}`, { cause: error });
  } finally {
    clearInterval(watch);
  }
}

/** Beside the Node that runs us, else on the search path; always run by our Node where it is npm's own script. */
function findNpm(env: NpmPlace['env']): readonly [string, ...string[]] {
  const script = join('node_modules', 'npm', 'bin', 'npm-cli.js');
  const bin = dirname(process.execPath);
  const path = completePath(searchPathOf(env));
  const found = searchPath('npm', path);
  const ofPath = found === undefined ? undefined : realpathSync(found);
  const scripts = [
    join(bin, script),
    join(bin, '..', 'lib', script),
    ...(ofPath !== undefined && basename(ofPath) === 'npm-cli.js' ? [ofPath] : []),
    // Windows has a batch file there, with the script beside it.
    ...path.split(delimiter).map((folder) => join(folder, script)),
  ];
  const own = scripts.find((candidate) => existsSync(candidate));
  if (own !== undefined) return [process.execPath, own];
  if (ofPath !== undefined) return [ofPath];
  throw new UserError('Packages are brought with npm, and there is none here.', {
    hint: 'Install Node.js with npm and try again.',
  });
}

/** What npm says of itself before it says what is wrong; what stands behind that is advice for whoever runs it by hand. */
const idle = /^(?:$|(?:code|errno|syscall|path) |\d{3}$)/;

function reasonOf({ stderr, code }: HelperRun): string {
  const wrong = stderr
    .split('\n')
    .flatMap((line) => /^npm (?:error|ERR!) ?(.*)$/.exec(line)?.[1]?.trim() ?? [])
    .find((line) => !idle.test(line));
  const said = wrong ?? (stderr.trim().split('\n').at(-1) || `exit code ${code}`);
  return maskKeys(withoutUserInfo(said)).slice(0, maxReason);
}
