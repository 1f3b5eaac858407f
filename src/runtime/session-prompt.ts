/** Gathers the facts that a session's system prompt is made of. */
import { homedir, release, type } from 'node:os';
import { builtInIdentity } from '../config/soul.ts';
import { pythonToolchain } from '../environments/local/python-toolchain.ts';
import { searchPathOf } from '../environments/local/search-path.ts';
import { shellOf, type EnvironmentFacts } from '../prompt/environment-hint.ts';
import { readIdentity } from '../prompt/identity.ts';
import { readProjectContext } from '../prompt/project-files.ts';
import { roomForRules, ruleNames, type RuleTextLimits } from '../prompt/rule-text.ts';
import { joinParts, promptParts, type PromptPart } from '../prompt/system-prompt.ts';
import { scanForInjection } from '../safety/injection.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { ToolServices } from '../tools/services.ts';
import type { RuleTexts } from './findings.ts';
import { codingPrompt, noCoding } from './session-coding.ts';
import type { SessionParts } from './session-parts.ts';

/** What the prompt needs to know of the model. */
type PromptRoute = Pick<ModelRoute, 'model' | 'provider' | 'contextLength'>;

/** What else one session has to say about its prompt. */
export interface PromptRequest {
  /** The model that the prompt names, asked at each build; default: the one the session began with. */
  readonly route?: () => PromptRoute;
  /** For children and batches: neither SOUL.md nor project files. */
  readonly skipContextFiles?: boolean;
  /** For children and runs that nobody's memory should steer. */
  readonly skipMemory?: boolean;
  /** The static block of an external memory provider. */
  readonly externalMemory?: () => Promise<string>;
  /** Told one line for each file that could not be used. */
  readonly onWarning?: (line: string) => void;
  /** When the conversation began; default: when its prompt is first built. */
  readonly startedAt?: Date;
}

/** What the prompt needs to know of a session's parts. */
export type PromptParts = Pick<
  SessionParts,
  'home' | 'env' | 'config' | 'cwd' | 'surface' | 'tools' | 'prompt' | 'findings' | 'plugins' | 'elsewhere'
> & {
  readonly route: PromptRoute;
};

/** Builds the prompt of a session at each call: when it is first needed, and anew for the child after a compaction. */
export function sessionPrompt(
  parts: PromptParts,
  services: ToolServices,
  request: PromptRequest = {},
): (sessionId: string) => Promise<string> {
  let { startedAt } = request;
  return async (sessionId) => {
    startedAt ??= new Date();
    return joinParts(await sessionPromptParts(parts, services, sessionId, { ...request, startedAt }));
  };
}

/** The prompt part by part, for whoever shows or measures it. */
export async function sessionPromptParts(
  parts: PromptParts,
  services: ToolServices,
  sessionId: string,
  request: PromptRequest = {},
): Promise<readonly PromptPart[]> {
  // Who answers elsewhere has all the rest there.
  if (parts.elsewhere === true) return onlyOf(parts.prompt.systemMessage ?? '');
  const ignoreRules = parts.prompt.ignoreRules === true;
  const skipMemory = ignoreRules || request.skipMemory === true;
  const { config, process } = parts.config;
  const skipFiles = ignoreRules || request.skipContextFiles === true;
  const warn = (lines: readonly string[]): void => lines.forEach((line) => request.onWarning?.(line));
  const route = request.route?.() ?? parts.route;
  const { identity, project: found } = skipFiles ? {} : ruleTexts({ ...parts, route }, services);
  const skipProject = skipFiles || parts.prompt.ignoreProject === true;
  const project = skipProject ? undefined : found;
  warn([...(identity?.warnings ?? []), ...(project?.warnings ?? [])]);
  const { model, provider } = route;
  const place = { config, surface: parts.surface, cwd: projectDirectory(parts, services) };
  const [skillsIndex, memory, externalMemory, coding] = await Promise.all([
    services.knowledge.skills?.index() ?? '',
    skipMemory ? undefined : services.knowledge.memory?.store.snapshot(),
    skipMemory ? undefined : request.externalMemory?.(),
    skipProject ? noCoding : codingPrompt(place, model, services),
  ]);
  warn(memory?.warnings ?? []);
  return promptParts({
    profile: config.agent.prompt_profile,
    identity: identity?.text ?? builtInIdentity,
    tools: parts.tools.filter((tool) => tool.available(services)),
    completionGuidance: config.agent.task_completion_guidance,
    parallelGuidance: config.agent.parallel_tool_call_guidance,
    toolUseEnforcement: config.agent.tool_use_enforcement,
    skillsIndex: coding.isFocused ? await focused(skillsIndex) : skillsIndex,
    environment: {
      ...environmentFacts(services),
      ...toolchainFacts(parts, services),
      hint: config.agent.environment_hint,
    },
    surface: parts.surface,
    platformHints: config.platform_hints,
    pluggedHints: Object.fromEntries(
      (parts.plugins?.platforms ?? []).map((platform) => [
        platform.name,
        platform.platform_hint === '' ? `You are talking in ${platform.label}.` : platform.platform_hint,
      ]),
    ),
    deploymentText: process.prompt.helpGuidance,
    systemMessage: parts.prompt.systemMessage ?? '',
    projectContext: project?.text ?? '',
    coding,
    memory: memory?.memory ?? '',
    userProfile: memory?.user ?? '',
    externalMemory: externalMemory ?? '',
    model,
    provider,
    ...(parts.prompt.passSessionId === true ? { sessionId } : {}),
    startedAt: request.startedAt ?? new Date(),
    ...(config.timezone === '' ? {} : { timeZone: config.timezone }),
  });
}

function onlyOf(text: string): readonly PromptPart[] {
  return text === '' ? [] : [{ name: 'surface', tier: 'context', text }];
}

async function focused(index: string): Promise<string> {
  const { focusedIndex } = await import('../prompt/focused-index.ts');
  return focusedIndex(index);
}

/** SOUL.md and the rules of the project. */
function ruleTexts(parts: PromptParts, services: ToolServices): RuleTexts {
  const { home, findings } = parts;
  const cwd = projectDirectory(parts, services);
  const limits = ruleLimits(parts, services);
  const read = (): RuleTexts => ({
    identity: readIdentity(home.path, limits),
    project: readProjectContext({ ...limits, cwd }),
  });
  // What else limits them is the same for all sessions of a program, but for the folder around which nothing may be read.
  const { kind, cwd: guarded } = services.environment;
  return findings?.rules.get(JSON.stringify([home, cwd, limits.maxChars, kind, guarded]), read) ?? read();
}

/** How files that steer the model are let into this session, at its start and on the way. */
export function ruleLimits(
  { config, route }: Pick<PromptParts, 'config' | 'route'>,
  { guard }: Pick<ToolServices, 'guard'>,
): RuleTextLimits {
  const configured = config.config.context_file_max_chars;
  return {
    scan: scanForInjection,
    maxChars: configured > 0 ? configured : roomForRules(route.contextLength),
    mayRead: (path) => guard.denyRead(path) === undefined,
    names: ruleNames(config.process.prompt.ruleFileNames),
  };
}

/** Project files are read on this machine, also when commands run elsewhere. */
function projectDirectory(parts: PromptParts, { environment }: ToolServices): string {
  return environment.kind === 'local' ? environment.cwd : parts.cwd;
}

/** Of this machine alone, where commands may run. */
function toolchainFacts(
  { config, env, tools, findings }: PromptParts,
  { environment }: ToolServices,
): { toolchain?: string } {
  if (!config.config.agent.environment_probe || environment.kind !== 'local') return {};
  if (process.platform === 'win32' || !tools.some(({ name }) => name === 'terminal')) return {};
  const path = searchPathOf(env);
  const find = () => pythonToolchain(path, homedir());
  return { toolchain: findings?.toolchain.get(path, find) ?? find() };
}

function environmentFacts({ environment }: ToolServices): EnvironmentFacts {
  const { kind, cwd } = environment;
  if (kind !== 'local') return { kind, platform: '', home: '', cwd };
  const shell = shellOf(process.platform, release());
  return {
    kind,
    platform: `${type()} ${release()}`,
    home: homedir(),
    cwd,
    ...(shell === undefined ? {} : { shell }),
  };
}
