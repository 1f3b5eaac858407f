/** Skills as slash commands: their names, and the message that one invocation puts into the conversation. */
import { filesOf, type OpenedSkill } from './skill-view.ts';
import type { SkillBundle } from './skill.ts';

/** What `/name` stands for when a person types it. */
export interface SkillCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly kind: 'skill' | 'bundle';
}

/** The user message of `/skill text`. */
export function skillMessage(opened: OpenedSkill, text: string): string {
  const note = `[The user has invoked the "${opened.skill.name}" skill and wants you to follow its instructions. The full skill is below.]`;
  return join(note, skillBlock(opened), instruction(text));
}

/** The user message of `/one /two text`. `missing` names what could not be loaded. */
export function stackMessage(opened: readonly OpenedSkill[], missing: readonly string[], text: string): string {
  const names = opened.map(({ skill }) => `"${skill.name}"`).join(', ');
  return join(
    `[The user has invoked these skills together and wants you to follow them: ${names}. They are below.]`,
    ...opened.map(skillBlock),
    skippedNote(missing),
    instruction(text),
  );
}

/** The user message of `/bundle text`. `missing` names what could not be loaded, each with the reason. */
export function bundleMessage(
  bundle: SkillBundle,
  opened: readonly OpenedSkill[],
  missing: readonly string[],
  text: string,
): string {
  const names = opened.map(({ skill }) => skill.name).join(', ');
  return join(
    `[The user has invoked the "${bundle.slug}" bundle and wants you to follow its skills: ${names || 'none'}. They are below.]`,
    bundle.instruction,
    ...opened.map(skillBlock),
    skippedNote(missing),
    instruction(text),
  );
}

/** The text that stays in force for a whole session, as `-s` asks for it. */
export function preloadText(opened: readonly OpenedSkill[]): string {
  return opened
    .map((skill) =>
      join(
        `[This session was started with the "${skill.skill.name}" skill. Follow its instructions throughout, unless the user says otherwise.]`,
        skillBlock(skill),
      ),
    )
    .join('\n\n');
}

function skillBlock(opened: OpenedSkill): string {
  const { directory, document, settings, setupNote } = opened;
  return join(
    `[Skill directory: ${directory}]`,
    document.trim(),
    setupNote === '' ? '' : `[Skill setup note: ${setupNote}]`,
    filesBlock(opened),
    settings,
  );
}

function filesBlock(opened: OpenedSkill): string {
  const files = Object.values(filesOf(opened) ?? {}).flat();
  if (files.length === 0) return '';
  const call = `skill_view(name="${opened.skill.directoryName}", file_path="<path>")`;
  return ['[This skill has supporting files:]', ...files.map((file) => `- ${file}`), `Load one with ${call}.`].join(
    '\n',
  );
}

function skippedNote(missing: readonly string[]): string {
  return missing.length === 0 ? '' : `[Skipped, not available: ${missing.join('; ')}]`;
}

function instruction(text: string): string {
  return text.trim() === '' ? '' : `The user's instruction with this command: ${text.trim()}`;
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
