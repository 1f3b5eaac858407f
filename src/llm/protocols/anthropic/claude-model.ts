/**
 * What a Claude model can be asked for, read from its name.
 * https://docs.claude.com/en/docs/about-claude/models/overview
 */

/** How a model is told to think. */
type ThinkingControl =
  /** It cannot be. */
  | 'none'
  /** With a budget in tokens (up to 4.5, and models of others behind this wire format). */
  | 'budget'
  /** It decides for itself; the effort is its knob (from 4.6). */
  | 'adaptive';

/** How thinking is switched off. */
type ThinkingOff =
  /** It is off unless asked for. */
  | 'by_default'
  /** It is on unless `disabled` is sent. */
  | 'disabled'
  /** As `disabled`, under the only name that Sonnet 5.5 takes. */
  | 'between_tools'
  /** It cannot be switched off. */
  | 'never';

export interface ClaudeModel {
  readonly thinking: ThinkingControl;
  readonly off: ThinkingOff;
  /** Thoughts come without their text unless a summary is asked for (from 4.7). */
  readonly hidesThoughts: boolean;
  /** From 4.7 on any temperature is refused. */
  readonly takesTemperature: boolean;
  readonly fastMode: boolean;
}

/**
 * Reads `claude-opus-4-6`, `claude-opus-4.6`, `claude-3-7-sonnet-20250219`, `claude-4.6-opus`; a Claude without a
 * version in its name counts as the newest. Source: Anthropic's tables of thinking modes and of fast mode.
 */
export function claudeModel(model: string): ClaudeModel {
  const name = model.toLowerCase();
  if (!name.includes('claude')) {
    const thinking = thinkers.test(name) ? 'budget' : 'none';
    return { thinking, off: 'by_default', hidesThoughts: false, takesTemperature: true, fastMode: false };
  }
  const { family, version } = versionOf(name);
  return {
    thinking: thinkingControl(family, version),
    off: thinkingOff(family, version),
    hidesThoughts: version > 406,
    takesTemperature: version <= 406,
    fastMode: hasFastMode(family, version),
  };
}

/** Models of others whose makers serve this format with its thinking. */
const thinkers = /minimax|kimi|qwen|glm|deepseek|mimo|step-/;

function thinkingControl(family: string, version: number): ThinkingControl {
  if (version >= 406) return 'adaptive';
  return version < 307 || family === 'haiku' ? 'none' : 'budget';
}

function thinkingOff(family: string, version: number): ThinkingOff {
  if (version < 500) return 'by_default';
  if (family === 'sonnet' && version === 505) return 'between_tools';
  const canBeDisabled = version === 500 ? family === 'opus' || family === 'sonnet' : family === 'haiku';
  return canBeDisabled ? 'disabled' : 'never';
}

function hasFastMode(family: string, version: number): boolean {
  if (family === 'opus') return version >= 406 && version !== 407;
  return family === 'fable' && version >= 502;
}

/** The second number is at most two digits: `claude-opus-4-20250514` is version 4 of a day. */
const versionPattern = /claude-(?:([a-z]+)-)?(\d{1,2})(?:[.-](\d{1,2}))?(?!\d)(?:-([a-z]+))?/;

/** Version 4.6 is 406, so that 4.10 comes after it. */
function versionOf(name: string): { family: string; version: number } {
  const match = versionPattern.exec(name);
  if (match === null) return { family: '', version: Number.POSITIVE_INFINITY };
  const [, before, major, minor = '0', behind] = match;
  return { family: before ?? behind ?? '', version: Number(major) * 100 + Number(minor) };
}
