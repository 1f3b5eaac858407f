/** A tool of a server as the agent's tools are: offered to one conversation. */
import { coerceArguments } from '../agent/coerce.ts';
import { type PreparedCall, type Tool, type ToolContext, type ToolOutcome } from '../agent/tool.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Source } from '../llm/source.ts';
import type { Judgement } from '../safety/finding.ts';
import { toolsetOf } from './names.ts';
import { visibleLine } from './visible.ts';
import { withoutWords } from './without-words.ts';

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

/** The same tool without a word of the server but its names: what it says now has not been agreed to; `why` begins a sentence. */
export function wordless(offered: OfferedTool, tool: string, why: string): OfferedTool {
  return {
    ...offered,
    description: `${visibleLine(tool)} of ${offered.server}. ${why}, so its words are withheld; a call of it asks a person first.`,
    schema: withoutWords(offered.schema),
  };
}

function previewOf(args: JsonObject): string {
  const values = Object.values(args).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return values.join(' ').replace(/\s+/g, ' ').slice(0, maxPreviewChars).toWellFormed();
}
