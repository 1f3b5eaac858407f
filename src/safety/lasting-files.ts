/** Files in a project that later conversations begin with, ours or those of other agents. */

const ruleFile =
  /(?:^|\/)(?:agents(?:\.override)?\.md|claude(?:\.local)?\.md|gemini\.md|\.?hermes\.md|soul\.md|\.cursorrules|\.windsurfrules|\.clinerules|\.goosehints|copilot-instructions\.md)$/;
const ruleFolder =
  /(?:^|\/)(?:\.cursor\/rules|\.claude\/(?:commands|agents|skills|hooks|settings[^/]*)|\.github\/instructions|\.windsurf\/rules|\.clinerules|\.agents\/skills|\.hermes\/skills)(?:\/|$)/;

/** True for a path, in small letters and with `/`, whose text an agent takes for orders in its next conversation. */
export function isProjectRules(path: string): boolean {
  return ruleFile.test(path) || ruleFolder.test(path);
}
