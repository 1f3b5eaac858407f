/** What tools get in tests, and the door that every call of them goes through. */
import { type ApprovalChoice, type ApprovalRequest, headless, type Human } from '../../src/agent/human.ts';
import type { Policy } from '../../src/agent/policy.ts';
import type { Tool, ToolOutcome } from '../../src/agent/tool.ts';
import { lazyConfig } from '../../src/config/lazy-config.ts';
import { parseSection } from '../../src/config/parse-config.ts';
import { processSettings } from '../../src/config/process-settings.ts';
import { type Config, isSectionName } from '../../src/config/schema.ts';
import type { Environment } from '../../src/environments/environment.ts';
import { createProcessRegistry } from '../../src/environments/process-registry.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { textOf } from '../../src/llm/message.ts';
import type { Source } from '../../src/llm/source.ts';
import { realPathOrSame, thisDisk } from '../../src/runtime/this-disk.ts';
import { createPathGuard } from '../../src/safety/paths.ts';
import { createRedactor } from '../../src/safety/redact.ts';
import { FileWrites } from '../../src/tools/file/file-writes.ts';
import { ReadLedger } from '../../src/tools/file/read-ledger.ts';
import { AllowedCommands } from '../../src/tools/policy/allowed-commands.ts';
import { createGuardedFiles } from '../../src/tools/policy/guarded-files.ts';
import { KnownHosts } from '../../src/tools/policy/known-hosts.ts';
import { ToolPolicy, type PolicyOptions } from '../../src/tools/policy/policy.ts';
import type { ToolPaths, ToolServices } from '../../src/tools/services.ts';
import { SudoPassword } from '../../src/tools/terminal/sudo-password.ts';
import { TypedInput } from '../../src/tools/terminal/typed-input.ts';
import { UnconfinedNotice } from '../../src/tools/terminal/unconfined-notice.ts';
import { WithheldCommands } from '../../src/tools/terminal/withheld-commands.ts';
import { TodoList } from '../../src/tools/todo/todo-list.ts';
import { FoundTools } from '../../src/tools/tool-search/found-tools.ts';
import { noWeb } from './web/access.ts';

export type Settings = Readonly<Record<string, JsonObject | readonly string[] | number | string>>;

/** The defaults with some values in the place of theirs, which are not checked: a test may want a timeout of 0.1 s. */
function configWith(settings: Settings = {}): Config {
  const sections = Object.entries(settings).map(([name, value]): [string, unknown] => {
    const usual = isSectionName(name) ? parseSection(name, undefined).value : undefined;
    return [name, isJsonObject(value) ? { ...(usual as object), ...value } : value];
  });
  return lazyConfig(new Map(sections));
}

/** The services of a session over an environment. */
export function servicesOver(
  environment: Environment,
  paths: ToolPaths,
  changes: Partial<ToolServices> & { readonly settings?: Settings } = {},
): ToolServices {
  const { settings, ...rest } = changes;
  const guard = createPathGuard({ ...paths, workspace: environment.cwd, follow: realPathOrSame, disk: thisDisk });
  const config = configWith(settings);
  const redact = rest.redact ?? createRedactor({ enabled: true });
  return {
    config,
    processSettings: processSettings({}),
    configProblems: [],
    environment,
    files: createGuardedFiles(environment.files, guard),
    guard,
    paths,
    insideContainer: false,
    processes: createProcessRegistry({ homePath: paths.homePath, redact }),
    state: {
      readLedger: new ReadLedger(),
      fileWrites: new FileWrites(),
      todos: new TodoList(),
      foundTools: new FoundTools(),
      web: noWeb(),
      typedInput: new TypedInput(),
      hosts: new KnownHosts(() => []),
      sudo: new SudoPassword(),
      allowedCommands: new AllowedCommands(config.approvals.allow),
      withheld: new WithheldCommands(),
      unconfined: new UnconfinedNotice(),
      allowedSkillChanges: new WeakMap(),
    },
    knowledge: {},
    edits: {},
    redact,
    maskValues: () => undefined,
    ...rest,
  };
}

export function policyWith(changes: Partial<PolicyOptions> = {}): ToolPolicy {
  return new ToolPolicy({
    mode: 'manual',
    yolo: () => false,
    headless: 'deny',
    allowlist: [],
    allowed: new AllowedCommands([]),
    persist: () => Promise.resolve(),
    persistAllowed: () => Promise.resolve(),
    entered: () => [],
    ...changes,
  });
}

export const aPage: readonly Source[] = [{ from: 'page', name: 'x.test' }];

/** A person who answers every question alike; the questions are kept. */
export function person(choice: ApprovalChoice): Human & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return {
    ...headless,
    present: true,
    asked,
    approve: (request) => {
      asked.push(request);
      return Promise.resolve(choice);
    },
  };
}

export interface CallOptions {
  readonly human?: Human;
  readonly signal?: AbortSignal;
  readonly abandoned?: AbortSignal;
  readonly policy?: Policy;
  readonly maxResultChars?: number;
  progress?(text: string): void;
}

/** Runs a call as the turn loop does: past the policy and the person, and with its refusal as the answer. */
export async function runTool(
  tool: Tool<ToolServices>,
  args: JsonObject,
  services: ToolServices,
  options: CallOptions = {},
): Promise<ToolOutcome> {
  const { human = headless, signal = new AbortController().signal, policy = policyWith() } = options;
  const prepared = tool.prepare(args);
  if ('problem' in prepared) return { content: JSON.stringify({ error: prepared.problem }), isError: true };
  let decision = await policy.decide(
    {
      tool: tool.name,
      args: prepared.args,
      sessionId: 'test',
      humanPresent: human.present,
      judge: () => prepared.judge(services),
    },
    signal,
  );
  while (decision.kind === 'ask') decision = await decision.settle(await human.approve(decision.request, signal));
  if (decision.kind === 'refuse') {
    return { content: JSON.stringify(prepared.refusal(decision.message)), isError: true };
  }
  return await prepared.execute({
    signal,
    abandoned: options.abandoned ?? new AbortController().signal,
    sessionId: 'test',
    taskId: 'test',
    callId: 'call_1',
    human,
    staged: decision.staged,
    ...(decision.approved === undefined ? {} : { approved: decision.approved }),
    ...(decision.approvedBy === undefined ? {} : { approvedBy: decision.approvedBy }),
    ...(decision.rights === undefined ? {} : { rights: decision.rights }),
    ...(decision.runs === undefined ? {} : { runs: decision.runs }),
    maxResultChars: options.maxResultChars ?? 100_000,
    progress: (text) => options.progress?.(text),
    services,
  });
}

/** The JSON that the model reads. */
export function jsonOf(outcome: ToolOutcome): JsonObject {
  return JSON.parse(textOf(outcome.content));
}
