/** The agent's own command line: a way to change its rules from inside a turn, so only looking is free. */
import { selfChange } from '../../finding.ts';
import type { Rule } from './rule.ts';

const lookingVerbs = /^(?:version|help|status|doctor|insights|logs|kanban)$/;
const lookingPairs =
  /^(?:sessions (?:list|show|search|export|stats)|config(?: (?:show|get|path|env-path|check))?|skills (?:list|search|browse|inspect|check)|tools (?:list|show)|cron (?:list|status|show)|mcp (?:list|test)|profile(?: (?:list|show|info))?|memory (?:status|show)|model list|hooks list|plugins list|gateway (?:status|list)|checkpoints(?: (?:list|status))?)$/;
const ownProgram = /^(?:hermes|hermes-agent|hermes\.m?js|hermes_cli(?:\.main)?)$/i;
/** Programs that start it under another name. */
const starters = /^(?:npx|bunx|npm|pnpm|yarn|node|bun|python[\d.]*|uvx?)$/;
const changingOption = /^--(?:yolo|accept-hooks|ignore-rules|ignore-user-config|safe-mode|fix)/;

export const ownCommandLine: Rule = ({ name, args }) => {
  const words = [name, ...args.map((field) => field.text)];
  const bases = words.map((text) => text.slice(text.lastIndexOf('/') + 1));
  const at = bases.findIndex((text, index) => ownProgram.test(text) && (index === 0 || starters.test(name)));
  if (at === -1) return [];
  const given = words.slice(at + 1);
  return isLooking(given)
    ? []
    : [selfChange("runs Hermes' own command line, which can change its settings or start another agent")];
};

function isLooking(given: readonly string[]): boolean {
  const options = given.filter((text) => text.startsWith('-'));
  const verbs = given.filter((text) => !text.startsWith('-'));
  if (options.some((text) => changingOption.test(text))) return false;
  const [verb] = verbs;
  if (verb === undefined) return options.some((text) => /^(?:--version|-V|--help|-h)$/.test(text));
  return lookingVerbs.test(verb) || lookingPairs.test(verbs.slice(0, 2).join(' '));
}
