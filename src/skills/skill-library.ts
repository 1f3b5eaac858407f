/** The skills of one session: what its prompt, its tools and its slash commands ask for. */
import { type Log, noLog } from '../lib/log.ts';
import type { ChangeOrigin } from './authoring/pending-changes.ts';
import { Authorship, type Sign } from './authorship.ts';
import { HomeSkillAuthor, type SkillAuthor } from './authoring/skill-author.ts';
import { HomeSkillCommands, type SkillCommands } from './skill-commands.ts';
import { HomeSkillReader, type SkillReader, type SkillReaderOptions } from './skill-reader.ts';
import { SkillUsage } from './usage.ts';

/** Everything; whoever uses skills asks for the part that it needs. */
export interface SkillLibrary extends SkillReader, SkillCommands, SkillAuthor {}

export interface SkillLibraryOptions extends SkillReaderOptions {
  /** `background_review` where nobody asked for the changes; such skills are the agent's own. Default `foreground`. */
  readonly origin?: ChangeOrigin;
  /** Default: nothing can be signed, and no skill counts as the agent's own words. */
  readonly sign?: Sign;
  readonly now?: () => Date;
  readonly log?: Log;
}

/** Opens nothing until it is asked. */
export function createSkillLibrary(options: SkillLibraryOptions): SkillLibrary {
  const { homePath, settings, origin = 'foreground', sign = () => undefined } = options;
  const { now = () => new Date(), log = noLog } = options;
  const usage = new SkillUsage(homePath, now, log);
  const authorship = new Authorship(usage, sign);
  const reader = new HomeSkillReader(options, usage, authorship);
  const commands = new HomeSkillCommands(reader);
  const author = new HomeSkillAuthor({
    homePath,
    guard: settings.guardAgentCreated,
    writeApproval: settings.writeApproval,
    origin,
    usage,
    authorship,
    search: () => reader.search(),
    onChanged: () => reader.reload(),
    now,
  });
  return {
    index: () => reader.index(),
    list: () => reader.list(),
    listAnswer: (category) => reader.listAnswer(category),
    view: (name, use) => reader.view(name, use),
    viewFile: (name, filePath) => reader.viewFile(name, filePath),
    isOwnWords: (answer) => reader.isOwnWords(answer),
    warnings: () => reader.warnings(),
    reload: () => reader.reload(),
    commands: () => commands.commands(),
    command: (name, text, use) => commands.command(name, text, use),
    preload: (names, use) => commands.preload(names, use),
    bundles: () => commands.bundles(),
    propose: (request, signal) => author.propose(request, signal),
    apply: (request, expected, signal) => author.apply(request, expected, signal),
    stage: (request) => author.stage(request),
    pending: author.pending,
  };
}
