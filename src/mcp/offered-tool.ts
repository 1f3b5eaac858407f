/** A tool of a server as the agent's tools are: offered to one conversation. */
import { coerceArguments } from '../agent/coerce.ts';
import { type PreparedCall, type Tool, type ToolContext, type ToolOutcome } from '../agent/tool.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { Source } from '../llm/source.ts';
import type { Judgement } from '../safety/finding.ts';
import { toolsetOf } from './names.ts';

export interface OfferedTool {
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly sideBySide: boolean;
  readonly idempotent?: boolean;
  judge(args: JsonObject): Judgement;
  execute(args: JsonObject, context: ToolContext<unknown>): Promise<ToolOutcome>;
}

const maxPreviewChars = 200;

/** Works with any services: it needs none. */
export function toolOf(offered: OfferedTool): Tool<unknown> {
  const { name, server, description, schema } = offered;
  const sources: readonly Source[] = [{ from: 'server', name: server }];
  return {
    name,
    toolset: toolsetOf(server),
    addedBy: { kind: 'mcp', name: server },
    description,
    emoji: '🔌',
    traits: { quotesOthers: true, ...(offered.idempotent === true ? { idempotent: true } : {}) },
    schema,
    guidance: () => undefined,
    available: () => true,
    prepare: (raw): PreparedCall<unknown> => {
      const args = coerceArguments(raw, schema);
      return {
        args,
        preview: previewOf(args),
        parallel: () => (offered.sideBySide ? 'safe' : 'never'),
        edits: () => [],
        sources: () => sources,
        judge: () => Promise.resolve(offered.judge(args)),
        refusal: (message) => ({ error: message }),
        render: () => ({}),
        execute: (context) => offered.execute(args, context),
      };
    },
  };
}

/** The same tool without a word of the server but its names: what it says now has not been agreed to. */
export function wordless(offered: OfferedTool, tool: string): OfferedTool {
  return {
    ...offered,
    description: `${tool} of ${offered.server}. It describes itself otherwise than agreed, so its words are withheld; a call of it asks a person first.`,
    schema: withoutWords(offered.schema),
  };
}

const words: ReadonlySet<string> = new Set(['description', 'title', '$comment', 'examples', 'example', 'default']);

/** Properties may be called like the words about them. */
function withoutWords(schema: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (words.has(key)) continue;
    if (key === 'properties' && isJsonObject(value)) {
      kept[key] = Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, isJsonObject(member) ? withoutWords(member) : member]),
      );
    } else kept[key] = key === 'enum' || key === 'const' || key === 'required' ? value : inside(value);
  }
  return kept;
}

function inside(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inside);
  return isJsonObject(value) ? withoutWords(value) : value;
}

function previewOf(args: JsonObject): string {
  const values = Object.values(args).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return values.join(' ').replace(/\s+/g, ' ').slice(0, maxPreviewChars).toWellFormed();
}
