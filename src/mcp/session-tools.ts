/** The tools of all servers as one conversation has them: the same objects from turn to turn, as long as they are the same. */
import type { Tool } from '../agent/tool.ts';
import { scanForInjection } from '../safety/injection.ts';
import { callServer, type CallParts } from './call.ts';
import type { Callers, McpSession } from './callers.ts';
import { judgeCall } from './judge-call.ts';
import { offeredName, oldName, toolsetOf } from './names.ts';
import { type OfferedTool, toolOf, wordless } from './offered-tool.ts';
import { resultOf } from './results.ts';
import type { McpServer } from './server.ts';
import type { ServerTool } from './server-tool.ts';
import { allWords } from './tool-words.ts';
import { utilityTools } from './utility-tools.ts';

/** A server with the conversations that call it. */
export interface CalledServer {
  readonly server: McpServer;
  readonly callers: Callers;
}

/** What a tool of a server is known by, for who chooses which are offered. */
export interface ServerToolName {
  readonly server: string;
  /** Empty for the tools that stand for resources and prompts. */
  readonly tool: string;
  /** Every name under which it may stand in a list. */
  readonly names: readonly string[];
}

export interface SessionToolsOptions {
  readonly homePath: string;
  readonly session: McpSession;
  servers(): readonly CalledServer[];
  /** Whether the conversation has it. */
  wants(tool: ServerToolName): boolean;
  /** Names of tools that are not of a server: they win. */
  readonly taken: ReadonlySet<string>;
  /** Told once of every tool that is not offered because its name is taken. */
  onTaken(name: string, server: string): void;
}

export class SessionTools {
  readonly #options: SessionToolsOptions;
  /** By the object that the server's list holds: a new one means a new tool. */
  readonly #made = new WeakMap<ServerTool, { readonly withheld: boolean; readonly tool: Tool<unknown> }>();
  readonly #utilities = new WeakMap<McpServer, { readonly key: string; readonly tools: readonly Tool<unknown>[] }>();
  readonly #toldTaken = new Set<string>();

  constructor(options: SessionToolsOptions) {
    this.#options = options;
  }

  /** Of two with one name the first. */
  list(): readonly Tool<unknown>[] {
    const byName = new Map<string, Tool<unknown>>();
    for (const called of this.#options.servers()) {
      for (const tool of this.#of(called)) {
        if (this.#options.taken.has(tool.name) || byName.has(tool.name)) this.#tellTaken(tool.name, called);
        else byName.set(tool.name, tool);
      }
    }
    return [...byName.values()];
  }

  #of(called: CalledServer): readonly Tool<unknown>[] {
    const { server } = called;
    const { include, exclude } = server.settings.offers;
    const name = server.settings.name;
    const listed = server.tools.filter((tool) => include?.includes(tool.name) ?? !exclude.includes(tool.name));
    const wanted = listed.filter((tool) => this.#wants(name, tool.name));
    return [...wanted.map((tool) => this.#tool(called, tool)), ...this.#utilitiesOf(called)];
  }

  #wants(server: string, tool: string): boolean {
    const names = [offeredName(server, tool), oldName(server, tool), `${server}:${tool}`, toolsetOf(server), server];
    return this.#options.wants({ server, tool, names });
  }

  #tool(called: CalledServer, listed: ServerTool): Tool<unknown> {
    const changed = called.server.changed.has(listed.name);
    const withheld = changed || (called.server.added.has(listed.name) && givesOrders(listed));
    const made = this.#made.get(listed);
    if (made?.withheld === withheld) return made.tool;
    const offered = offeredTool(this.#partsOf(called), listed, this.#options.homePath);
    const why = changed ? 'It describes itself otherwise than agreed' : 'It is new, and what it says reads like orders';
    const tool = toolOf(withheld ? wordless(offered, listed.name, why) : offered);
    this.#made.set(listed, { withheld, tool });
    return tool;
  }

  #utilitiesOf(called: CalledServer): readonly Tool<unknown>[] {
    const { server } = called;
    // They go with the connection like the others, but a server may have nothing else.
    if (server.state === 'parked' || server.state === 'failed') return [];
    const offered = utilityTools(this.#partsOf(called)).filter(({ name }) => this.#wants(server.settings.name, name));
    const key = offered.map(({ name }) => name).join(' ');
    const made = this.#utilities.get(server);
    if (made?.key === key) return made.tools;
    const tools = offered.map(toolOf);
    this.#utilities.set(server, { key, tools });
    return tools;
  }

  #partsOf({ server, callers }: CalledServer): CallParts {
    return { server, callers, session: this.#options.session };
  }

  #tellTaken(name: string, { server }: CalledServer): void {
    const key = `${server.settings.name} ${name}`;
    if (this.#toldTaken.has(key)) return;
    this.#toldTaken.add(key);
    this.#options.onTaken(name, server.settings.name);
  }
}

function givesOrders(listed: ServerTool): boolean {
  return scanForInjection(allWords(listed)).length > 0;
}

function offeredTool(parts: CallParts, listed: ServerTool, homePath: string): OfferedTool {
  const { server, session } = parts;
  const { name, sideBySide } = server.settings;
  return {
    name: offeredName(name, listed.name),
    server: name,
    description: listed.description,
    schema: listed.schema,
    sideBySide,
    judge: (args) =>
      judgeCall({
        server: name,
        tool: listed.name,
        listed,
        args,
        isChanged: server.changed.has(listed.name),
        isAdded: server.added.has(listed.name),
        agree: () => server.agree(new Set([listed.name])),
      }),
    execute: async (args, context) =>
      await callServer(
        parts,
        {
          method: 'tools/call',
          params: { name: listed.name, arguments: args },
          read: (answer) => resultOf(answer, { homePath, maxChars: context.maxResultChars, redact: session.redact }),
        },
        context,
      ),
  };
}
