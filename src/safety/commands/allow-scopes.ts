/** How narrowly an answer about a command can be kept: for the command itself, or for its program and sub-command. */
import type { AllowEntry } from '../allow-entry.ts';
import type { AllowScopes } from '../finding.ts';
import { allowedBy } from './allowed.ts';
import type { CommandPaths } from './paths.ts';
import { readScript } from './read-script.ts';

/** What comes behind these says what they do: `git push`, `npm run`. Others are named by their names alone. */
const withCommands =
  /^(?:git|gh|glab|npm|pnpm|yarn|bun|npx|pip3?|uv|poetry|cargo|go|rustup|docker|podman|docker-compose|kubectl|helm|terraform|tofu|pulumi|aws|gcloud|az|make|just|task|apt|apt-get|brew|dnf|systemctl|dotnet|mvn|gradle|flutter|rails|rake|composer|php|deno|fly|heroku|vercel|netlify|wrangler|supabase|firebase|ansible|vagrant|nix|conda|mamba)$/;

export function scopesOf(command: string, folder: string, paths: CommandPaths): AllowScopes {
  const program = programScope(command, folder, paths);
  return { command: { command, folder }, ...(program === undefined ? {} : { program }) };
}

/** Only where one call with a sub-command is all there is, and the pattern would let this very command run. */
function programScope(command: string, folder: string, paths: CommandPaths): AllowEntry | undefined {
  const { commands } = readScript(command, paths);
  const calls = commands.filter(({ name }) => name !== 'cd');
  const [call] = calls;
  const verb = call?.args[0]?.text ?? '';
  if (call === undefined || calls.length !== 1 || !withCommands.test(call.name) || !/^[a-z][\w:-]*$/i.test(verb)) {
    return undefined;
  }
  const entry = { pattern: `${call.name} ${verb} *`, folder: call.cwd ?? folder };
  return allowedBy(command, [entry], paths) === undefined ? undefined : entry;
}
