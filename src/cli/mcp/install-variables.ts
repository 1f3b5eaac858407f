/** The keys and addresses that a server of the catalogue needs: asked of the person, where they are not set yet. */
import { skillEnvironment } from '../../config/skill-settings.ts';
import { UserError } from '../../lib/errors.ts';
import type { ManifestVariable } from '../../mcp/manifest.ts';
import type { CliContext } from '../command.ts';
import { openPrompts, required as notEmpty } from '../model/prompts.ts';
import { oneLine } from '../render/terminal-text.ts';

/** For `.env`: only those that are not set. Throws `Cancelled`, and `UserError` where nobody can be asked. */
export async function askForVariables(
  { io, env }: CliContext,
  variables: readonly ManifestVariable[],
): Promise<ReadonlyMap<string, string>> {
  const { variable: known } = skillEnvironment(env);
  const values = new Map<string, string>();
  for (const { name, prompt = name, required, secret, default: usual } of variables) {
    if (known(name)) {
      io.stdout.write(`${name} is set already.\n`);
      continue;
    }
    if (!io.stdin.isTTY || !io.stdout.isTTY) {
      if (usual !== '') values.set(name, usual);
      else if (required) {
        throw new UserError(`${name} is not set, and nobody sits at this terminal.`, {
          hint: `hermes config set ${name} VALUE`,
        });
      }
      continue;
    }
    const prompts = await openPrompts(io);
    const check = required ? { check: notEmpty } : {};
    const message = oneLine(prompt, 200);
    const value = secret
      ? await prompts.secret({ message, ...check })
      : await prompts.text({ message, initial: usual, ...check });
    if (value !== '') values.set(name, value);
  }
  return values;
}
