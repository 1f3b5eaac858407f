/** Our own command line, seen from inside a turn: which of its words only look, and which would change the rules. */

const lookingVerbs = /^(?:version|help|status|doctor|insights|logs|kanban|completion|prompt-size)$/;
const lookingPairs =
  /^(?:sessions (?:list|stats|search|show|export)|config(?: (?:show|get|path|env-path|check))?|skills (?:list|search|browse|inspect|check)|tools (?:list|show)|cron (?:list|status|show)|mcp (?:list|test)|profile(?: (?:list|show|info))?|memory (?:status|show)|model list|auth (?:list|status)|fallback list|bundles list|curator status|hooks list|plugins list|gateway (?:status|list)|permissions(?: list)?|checkpoints(?: (?:list|status))?|lsp(?: (?:list|status|which))?|computer-use (?:status|doctor))$/;
const changingOption = /^--(?:yolo|accept-hooks|ignore-rules|ignore-user-config|fix)(?:=|$)/;

/** True for words that show something and change nothing; `words` as they are given to the program. */
export function onlyLooks(words: readonly string[]): boolean {
  const options = words.filter((text) => text.startsWith('-'));
  const verbs = words.filter((text) => !text.startsWith('-'));
  if (options.some((text) => changingOption.test(text))) return false;
  if (options.some((text) => /^(?:--version|-V|--help|-h)$/.test(text))) return true;
  const [verb] = verbs;
  return verb !== undefined && (lookingVerbs.test(verb) || lookingPairs.test(verbs.slice(0, 2).join(' ')));
}

/** True for options that loosen the rules for one run. */
export function loosensRules(words: readonly string[]): boolean {
  return words.some((text) => changingOption.test(text));
}
