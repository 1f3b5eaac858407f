/** The web tools over a real home, and the servers that they ask. */
import type { TestContext } from 'node:test';
import type { Tool } from '../../../src/agent/tool.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { textOf } from '../../../src/llm/message.ts';
import type { ToolServices } from '../../../src/tools/services.ts';
import { webVariables } from '../../../src/config/web-variables.ts';
import type { WebAccess } from '../../../src/tools/web/web-access.ts';
import { openWorkplace } from '../file/support.ts';
import { type CallOptions, runTool, type Settings } from '../support.ts';
import { noWeb } from './access.ts';

export interface WebPlace {
  readonly services: ToolServices;
  readonly call: (tool: Tool<ToolServices>, args: JsonObject, options?: CallOptions) => Promise<WebAnswer>;
}

export interface WebAnswer {
  readonly success?: boolean;
  readonly error?: string;
  readonly data: { readonly web: readonly { title: string; url: string; description: string; position: number }[] };
  readonly results: readonly {
    readonly url: string;
    readonly title: string;
    readonly content: string;
    readonly error: string | null;
    readonly blocked_by_policy?: { readonly host: string; readonly rule: string; readonly source: string };
  }[];
  readonly sources: readonly string[];
  readonly text: string;
}

export interface WebPlaceOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly settings?: Settings;
  readonly web?: Partial<WebAccess>;
}

/** Addresses of this machine may be asked, as with `security.allow_private_urls`, unless the settings say otherwise. */
export function openWeb(t: TestContext, { variables = {}, settings = {}, web }: WebPlaceOptions = {}): WebPlace {
  const usual: Settings = { security: { allow_private_urls: true } };
  const { services: plain } = openWorkplace(t, { services: { settings: { ...usual, ...settings } } });
  const hasOwn = 'FIRECRAWL_API_KEY' in variables || 'FIRECRAWL_API_URL' in variables;
  const access = {
    ...noWeb(),
    variables: webVariables(variables),
    firecrawl: { kind: hasOwn ? 'direct' : 'none' } as const,
    ...web,
  };
  const services: ToolServices = { ...plain, state: { ...plain.state, web: access } };
  return {
    services,
    async call(tool, args, options) {
      const outcome = await runTool(tool, args, services, options);
      const text = textOf(outcome.content);
      const sources = (outcome.sources ?? []).map(({ from, name }) => `${from} ${name ?? ''}`.trim());
      return { ...(JSON.parse(text) as WebAnswer), text, sources };
    },
  };
}
