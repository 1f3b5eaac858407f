/** `skills …` with all its words, built once for the terminal program and for `/skills`. */
import { Command } from 'commander';
import type { SkillsSurface } from './skills-surface.ts';

/** `fail` is called when a command did its work and found something wrong. */
export function buildSkillsCommand(surface: SkillsSurface, fail: () => void): Command {
  const command = new Command('skills').description('Finds, installs and looks after skills.');
  addFinding(command, surface);
  addChanging(command, surface, fail);
  addBundled(command, surface, fail);
  addComparing(command, surface);
  addPublishing(command, surface);
  const snapshot = command.command('snapshot').description('the list of installed skills in a file');
  snapshot
    .command('export')
    .argument('<file>')
    .option('--force', 'replace the file')
    .action(async (file: string, options: { force?: boolean }) =>
      (await import('./snapshot.ts')).exportSnapshot(surface, file, options.force === true),
    );
  snapshot
    .command('import')
    .argument('<file>')
    .option('--force', 'take skills about which the guard has doubts, and replace installed ones')
    .option('-y, --yes', 'do not ask for each skill')
    .action(async (file: string, options: { force?: boolean; yes?: boolean }) => {
      if (!(await (await import('./snapshot.ts')).importSnapshot(surface, file, options))) fail();
    });
  addTaps(command, surface);
  return command;
}

function addFinding(command: Command, surface: SkillsSurface): void {
  command
    .command('browse')
    .description('everything that is offered')
    .option('--page <n>', 'page', '1')
    .option('--size <n>', 'skills on a page', '20')
    .option('--source <id>', 'one source or publisher, such as official, github, clawhub, openai', 'all')
    .action(async (options: { page: string; size: string; source: string }) =>
      (await import('./find.ts')).browseSkills(surface, options),
    );
  command
    .command('search')
    .description('skills by words, or the skills of a site by its address')
    .argument('<words...>')
    .option('--source <id>', 'one source or publisher, such as official, github, clawhub, openai', 'all')
    .option('--limit <n>', 'at most so many', '25')
    .option('--json', 'as JSON')
    .action(async (words: string[], options: { source: string; limit: string; json?: boolean }) =>
      (await import('./find.ts')).searchSkills(surface, words.join(' '), options),
    );
  command
    .command('inspect')
    .description('read a skill and what the guard says before installing it')
    .argument('<identifier>')
    .action(async (identifier: string) => (await import('./find.ts')).inspectSkill(surface, identifier));
  command
    .command('list')
    .description('skills of this home')
    .option('--source <which>', 'all, hub, builtin, local', 'all')
    .option('--enabled-only', 'only those that are not switched off')
    .action(async (options: { source: string; enabledOnly?: boolean }) =>
      (await import('./find.ts')).listSkills(surface, options),
    );
}

function addChanging(command: Command, surface: SkillsSurface, fail: () => void): void {
  command
    .command('install')
    .description('install a skill; nothing of it is run')
    .argument('<identifier>', 'official/<category>/<name>, <owner>/<repository>/<path>, an address, or ./folder')
    .option('--category <folder>', 'where to put it below skills/')
    .option('--name <name>', 'another name')
    .option('--force', 'in spite of doubts of the guard (never of danger); replace an installed one')
    .option('-y, --yes', 'do not ask')
    .action(async (identifier: string, options: { category?: string; name?: string; force?: boolean; yes?: boolean }) =>
      (await import('./change.ts')).installFromHub(surface, identifier, options),
    );
  command
    .command('check')
    .description('which installed skills have changed at their source')
    .argument('[name]')
    .action(async (name?: string) => {
      if (!(await (await import('./change.ts')).checkSkills(surface, name))) fail();
    });
  command
    .command('update')
    .description('renew installed skills that have changed at their source')
    .argument('[name]')
    .action(async (name?: string) => {
      if (!(await (await import('./change.ts')).updateSkills(surface, name))) fail();
    });
  command
    .command('audit')
    .description('examine installed skills again')
    .argument('[name]')
    .option('--deep', 'also follow what Python files import and call; nothing is run')
    .action(async (name: string | undefined, options: { deep?: boolean }) => {
      if (!(await (await import('./change.ts')).auditSkills(surface, name, options.deep))) fail();
    });
  command
    .command('uninstall')
    .description('remove a skill that was installed from the hub')
    .argument('<name>')
    .action(async (name: string) => (await import('./change.ts')).uninstallFromHub(surface, name));
}

function addBundled(command: Command, surface: SkillsSurface, fail: () => void): void {
  command
    .command('reset')
    .description('forget what is recorded of a bundled skill')
    .argument('<name>')
    .option('--restore', 'have the original back')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: { restore?: boolean; yes?: boolean }) =>
      (await import('./bundled.ts')).resetSkill(surface, name, options),
    );
  command
    .command('repair-official')
    .description('record where optional official skills came from that are here without a record')
    .argument('<name>', 'folder or name of an optional skill, or all')
    .option('--restore', 'also put back those that are missing or were changed; what is there is moved aside')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: { restore?: boolean; yes?: boolean }) => {
      if (!(await (await import('./official.ts')).repairOfficialSkills(surface, name, options))) fail();
    });
  command
    .command('opt-out')
    .description('no bundled skills in this home')
    .option('--remove', 'delete those that were not changed')
    .option('-y, --yes', 'do not ask')
    .action(async (options: { remove?: boolean; yes?: boolean }) =>
      (await import('./bundled.ts')).optOutOfBundled(surface, options),
    );
  command
    .command('opt-in')
    .description('bundled skills again')
    .option('--sync', 'bring them now')
    .action(async (options: { sync?: boolean }) => (await import('./bundled.ts')).optInToBundled(surface, options));
}

function addComparing(command: Command, surface: SkillsSurface): void {
  command
    .command('list-modified')
    .description('bundled skills that were changed here')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => (await import('./compare.ts')).listModified(surface, options));
  command
    .command('diff')
    .description('what was changed in a bundled skill')
    .argument('<name>')
    .action(async (name: string) => (await import('./compare.ts')).diffSkill(surface, name));
}

function addPublishing(command: Command, surface: SkillsSurface): void {
  command
    .command('publish')
    .description('offer a skill of your own to a repository, as a pull request')
    .argument('<path>', 'the folder of the skill')
    .option('--to <place>', 'github or clawhub', 'github')
    .option('--repo <repository>', '<owner>/<repository>', '')
    .option('-y, --yes', 'do not ask')
    .action(async (path: string, options: { to: string; repo: string; yes?: boolean }) => {
      const { publishSkill } = await import('./publish.ts');
      const asked = options.yes === true ? { ...surface, confirm: () => Promise.resolve(true) } : surface;
      await publishSkill(asked, path, options);
    });
}

function addTaps(command: Command, surface: SkillsSurface): void {
  const tap = command.command('tap').description('repositories and folders that are searched');
  tap.command('list').action(async () => (await import('./change.ts')).listTaps(surface));
  tap
    .command('add')
    .argument('<repository>', '<owner>/<repository>, or the path of a folder')
    .option('--path <folder>', 'where its skills are', 'skills/')
    .action(async (what: string, options: { path: string }) =>
      (await import('./change.ts')).addTap(surface, what, options.path),
    );
  tap
    .command('remove')
    .argument('<repository>')
    .action(async (what: string) => (await import('./change.ts')).removeTap(surface, what));
}
