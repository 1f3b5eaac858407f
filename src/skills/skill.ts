/** What a skill is, before its text is read: the facts of its header and the place it lies in. */

/** Bytes of a document that can still be loaded. */
export const maxDocumentBytes = 1024 * 1024;

/** Tools and toolsets that decide whether a skill is offered in the index. */
export interface SkillConditions {
  readonly requiresToolsets?: readonly string[] | undefined;
  readonly requiresTools?: readonly string[] | undefined;
  readonly fallbackForToolsets?: readonly string[] | undefined;
  readonly fallbackForTools?: readonly string[] | undefined;
}

/** The part of a header that lists, indexes and commands need. */
export interface SkillSummary {
  /** The name its author gave it; absent when the header has none. */
  readonly name?: string | undefined;
  readonly description: string;
  /** `macos`, `linux`, `windows` or a raw platform prefix; empty = everywhere. */
  readonly platforms: readonly string[];
  readonly conditions: SkillConditions;
}

export interface Skill extends SkillSummary {
  /** How it is offered: its own name, or its directory's when another skill has that name already. */
  readonly name: string;
  readonly directoryName: string;
  /** Path segments above the skill joined by `/`. */
  readonly category: string;
  /** The folder with `skills/` in it that it was found below: the home's own, or an external directory. */
  readonly root: string;
  /** Absolute, as found (links not followed). */
  readonly directory: string;
  /** Absolute path of SKILL.md, or of a legacy `<name>.md`. */
  readonly file: string;
}

/** Everything found on disk, with one line for each thing that could not be used. */
export interface SkillCatalogue {
  readonly skills: readonly Skill[];
  /** Category → the description of its DESCRIPTION.md. */
  readonly categories: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/** What the session can do at the moment; `undefined` in its place means nobody knows. */
export interface AvailableTools {
  readonly tools: ReadonlySet<string>;
  readonly toolsets: ReadonlySet<string>;
}

/** `skills.*` of the configuration, and what the surface brings. */
export interface SkillSettings {
  readonly externalDirs: readonly string[];
  readonly disabled: readonly string[];
  readonly platformDisabled: Readonly<Record<string, readonly string[]>>;
  /** `skills.config`: settings of single skills, by dotted key or nested. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly guardAgentCreated: boolean;
  readonly writeApproval: boolean;
  readonly templateVars: boolean;
  readonly inlineShell: boolean;
  readonly inlineShellTimeoutSeconds: number;
}

/** Several skills that are loaded with one command. */
export interface SkillBundle {
  /** The command's name. */
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly skills: readonly string[];
  /** Put before the skills; may be empty. */
  readonly instruction: string;
  /** Absolute. */
  readonly file: string;
}
