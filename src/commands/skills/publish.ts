/** `skills publish`: examines a skill of one's own and offers it to a repository. */
import { resolve } from 'node:path';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import { hubOf, shown, type SkillsSurface } from './skills-surface.ts';

export async function publishSkill(
  surface: SkillsSurface,
  path: string,
  { to, repo }: { readonly to: string; readonly repo: string },
): Promise<void> {
  if (to !== 'github' && to !== 'clawhub') {
    throw new UserError(`'${shown(to, 40)}' is no place to publish to.`, {
      exitCode: 2,
      hint: 'Choose from: github, clawhub.',
    });
  }
  const { checkMembers } = await import('../../skill-hub/members.ts');
  const { describeFinding, scanFetched } = await import('../../skill-hub/install.ts');
  const hub = await hubOf(surface);
  const skill = await hub.fetch(resolve(surface.cwd, path), surface.signal);
  checkMembers(skill.files);
  const report = scanFetched(skill);
  const name = skill.name ?? '';
  surface.print(`${shown(name)}  guard: ${report.verdict}`);
  for (const finding of report.findings.slice(0, 20)) surface.print(shown(describeFinding(finding), 300));
  if (report.verdict === 'dangerous') throw new UserError('A skill that the guard calls dangerous is not published.');
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) {
    throw new UserError('The skill needs a name of lower-case letters, digits and hyphens in its header.');
  }
  if (to === 'clawhub') {
    throw new UserError('ClawHub takes skills from its own program or page only.', {
      hint: 'Hand it in at https://clawhub.ai/submit',
    });
  }
  const { repositoryName } = await import('../../skill-hub/sources/github.ts');
  const target = repositoryName(repo);
  if (target === undefined) {
    throw new UserError('--repo <owner>/<repository> is needed: where the skill is offered.', { exitCode: 2 });
  }
  if (!hub.hasToken) {
    throw new UserError('Publishing to GitHub needs a token.', {
      hint: 'Put GITHUB_TOKEN into .env, with the right to write.',
    });
  }
  if (
    !(await surface.confirm(`Offer '${name}' (${counted(skill.files.size, 'file')}) to ${target} as a pull request?`))
  ) {
    throw new UserError(`'${name}' was not published.`);
  }
  const { publishToGithub } = await import('../../skill-hub/publish.ts');
  const options = { download: hub.download, api: hub.github.api, signal: surface.signal };
  surface.print(`Offered: ${shown(await publishToGithub({ ...skill, name }, target, options))}`);
}
