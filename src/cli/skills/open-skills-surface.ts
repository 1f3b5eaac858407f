/** The terminal program as a place where commands about skills run. */
import { createInterface } from 'node:readline';
import type { SkillsSurface } from '../../commands/skills/skills-surface.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';
import { confirm } from '../sessions/confirm.ts';

export function openSkillsSurface({ io, home, env, config }: CliContext): SkillsSurface {
  const isTerminal = io.stdin.isTTY && io.stdout.isTTY;
  return {
    homePath: home.path,
    env,
    cwd: process.cwd(),
    version: readPackage().version,
    signal: new AbortController().signal,
    print: (text) => io.stdout.write(`${text}\n`),
    confirm: async (question) => {
      if (isTerminal) return await confirm(io, question);
      io.stdout.write(`${question} Nobody can be asked here, so the answer is no (--yes answers yes).\n`);
      return false;
    },
    ...(isTerminal
      ? {
          askName: async () => {
            const lines = createInterface({ input: io.stdin, output: io.stdout });
            try {
              const { promise, resolve } = Promise.withResolvers<string | undefined>();
              lines.question('Name of the skill: ', resolve);
              lines.once('close', () => resolve(undefined));
              return (await promise)?.trim();
            } finally {
              lines.close();
              io.stdin.pause();
            }
          },
        }
      : {}),
    allowPrivateUrls: async () => (await config()).config.security.allow_private_urls,
    disabledSkills: async () => (await config()).config.skills.disabled,
    changed: () => undefined,
  };
}
