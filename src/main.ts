/** The program's entry: argv → profile and home → one command, loaded lazily. */
import { resolveHome } from './config/home.ts';
import { errorMessage, UserError } from './lib/errors.ts';

// Nothing else may be imported above: what caches a path must not load before the home is known.
const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that went away (`hermes … | head -1`) is no failure; a full disk behind `>` is one.
  if (error.code === 'EPIPE') process.exit(0);
  io.stderr.write(`hermes: cannot write the output: ${error.message}\n`);
  process.exit(1);
});
// A warning that nobody reads must not cost the answer.
process.stderr.on('error', () => undefined);

try {
  const { home, argv, warnings } = resolveHome(process.argv.slice(2), process.env);
  process.env['HERMES_HOME'] = home.path;
  for (const warning of warnings) io.stderr.write(`${warning}\n`);
  const { runCli } = await import('./cli/run.ts');
  process.exitCode = await runCli({ argv, home, env: process.env, io, ownsProcess: true });
} catch (error) {
  const verbose = process.argv.includes('--verbose') || process.argv.includes('-v');
  const { asStarted } = await import('./cli/started-as.ts');
  io.stderr.write(`hermes: ${asStarted(errorMessage(error), process.env)}\n`);
  if (error instanceof UserError && error.hint !== undefined) {
    io.stderr.write(`${asStarted(error.hint, process.env)}\n`);
  }
  if (verbose && error instanceof Error) io.stderr.write(`${error.stack ?? ''}\n`);
  process.exitCode = error instanceof UserError ? error.exitCode : 1;
}
