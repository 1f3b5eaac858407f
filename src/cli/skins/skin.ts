/** What a skin says of the looks of the chat; what it leaves open is as without one. */
import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

export interface Skin {
  readonly name: string;
  readonly description: string;
  /** `#rrggbb`; what is absent has the terminal's own colour. */
  readonly colors: SkinColors;
  readonly agentName: string;
  /** The last line of the welcome, and what is said in the end. */
  readonly welcome: string;
  readonly goodbye: string;
  readonly promptSymbol: string;
  /** Above the list of commands; empty = nothing. */
  readonly helpHeader: string;
  /** In front of a tool call. */
  readonly toolPrefix: string;
  readonly toolEmojis: Readonly<Record<string, string>>;
  /** Shown by turns while the model thinks; empty = "thinking". */
  readonly thinkingFaces: readonly string[];
  readonly thinkingVerbs: readonly string[];
}

export interface SkinColors {
  /** Titles, the prompt, what is marked. */
  readonly accent?: string | undefined;
  readonly good?: string | undefined;
  readonly warning?: string | undefined;
  readonly bad?: string | undefined;
  /** What stands beside the matter. */
  readonly quiet?: string | undefined;
}

export const plainSkin: Skin = {
  name: 'default',
  description: "The terminal's own colours",
  colors: {},
  agentName: 'Hermes Agent',
  welcome: 'Type a message, or /help for commands.',
  goodbye: 'Goodbye! ⚕',
  promptSymbol: '❯',
  helpHeader: '',
  toolPrefix: '┊',
  toolEmojis: {},
  thinkingFaces: [],
  thinkingVerbs: [],
};

/** A value of another type counts as absent: one slip does not take the whole skin away. */
const word = z.string().trim().min(1).max(200).optional().catch(undefined);
const hex = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i)
  .optional()
  .catch(undefined);
const words = z.array(z.string().max(60)).max(100).optional().catch(undefined);

const colorsSchema = z.object({
  ui_accent: hex,
  banner_accent: hex,
  banner_title: hex,
  ui_ok: hex,
  ui_warn: hex,
  ui_error: hex,
  banner_dim: hex,
});
const brandingSchema = z.object({
  agent_name: word,
  welcome: word,
  goodbye: word,
  prompt_symbol: word,
  help_header: word,
});
const spinnerSchema = z.object({ thinking_faces: words, thinking_verbs: words });
const emojiSchema = z.record(z.string(), z.string().max(20)).catch({});
const topSchema = z.object({ description: word, tool_prefix: word });

/** Reads the data of `skins/<name>.yaml`; keys that this build does not show are left aside. */
export function skinOf(name: string, data: JsonObject): Skin {
  const part = (key: string): JsonObject => {
    const value = data[key];
    return isJsonObject(value) ? value : {};
  };
  const colors = colorsSchema.parse(part('colors'));
  const branding = brandingSchema.parse(part('branding'));
  const spinner = spinnerSchema.parse(part('spinner'));
  const { description, tool_prefix: toolPrefix } = topSchema.parse(data);
  return {
    name,
    description: description ?? '',
    colors: {
      accent: colors.ui_accent ?? colors.banner_accent ?? colors.banner_title,
      good: colors.ui_ok,
      warning: colors.ui_warn,
      bad: colors.ui_error,
      quiet: colors.banner_dim,
    },
    agentName: branding.agent_name ?? plainSkin.agentName,
    welcome: branding.welcome ?? plainSkin.welcome,
    goodbye: branding.goodbye ?? plainSkin.goodbye,
    promptSymbol: branding.prompt_symbol ?? plainSkin.promptSymbol,
    helpHeader: branding.help_header ?? plainSkin.helpHeader,
    toolPrefix: toolPrefix ?? plainSkin.toolPrefix,
    toolEmojis: emojiSchema.parse(part('tool_emojis')),
    thinkingFaces: spinner.thinking_faces ?? [],
    thinkingVerbs: spinner.thinking_verbs ?? [],
  };
}
