/** Which tools a script may call, and with which arguments. */
import type { JsonObject } from '../../lib/json.ts';

export interface ScriptTool {
  readonly name: string;
  /** Its parameters as Python writes them; the names are those of the tool. */
  readonly parameters: string;
  /** Their names alone. */
  readonly names: readonly string[];
}

const known: readonly Pick<ScriptTool, 'name' | 'parameters'>[] = [
  { name: 'web_search', parameters: 'query, limit=5' },
  { name: 'web_extract', parameters: 'urls, char_limit=None' },
  { name: 'read_file', parameters: 'path, offset=1, limit=500' },
  { name: 'write_file', parameters: 'path, content, cross_profile=False' },
  {
    name: 'search_files',
    parameters:
      'pattern, target="content", path=".", file_glob=None, limit=50, offset=0, output_mode="content", context=0',
  },
  {
    name: 'patch',
    parameters: 'path=None, old_string=None, new_string=None, replace_all=False, mode="replace", patch=None',
  },
  { name: 'terminal', parameters: 'command, timeout=None, workdir=None' },
];

const scriptTools: readonly ScriptTool[] = known.map((tool) => ({
  ...tool,
  names: tool.parameters.split(', ').map((parameter) => parameter.split('=', 1)[0] ?? ''),
}));

/** What would go on after the script: nobody would look after it. */
const notForTerminal = new Set(['background', 'pty', 'check_interval', 'notify_on_complete', 'watch_patterns']);

/** Those of a session, in the order of the list. */
export function callableTools(names: ReadonlySet<string>): readonly ScriptTool[] {
  return scriptTools.filter(({ name }) => names.has(name));
}

/** Parameters that have no default. */
export function requiredOf({ parameters }: ScriptTool): readonly string[] {
  return parameters.split(', ').filter((parameter) => !parameter.includes('='));
}

export function allowedArguments(tool: string, args: JsonObject): JsonObject {
  if (tool !== 'terminal') return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !notForTerminal.has(name)));
}
