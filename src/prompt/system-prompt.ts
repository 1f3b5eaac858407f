/** Puts the system prompt together: stable parts first, so that providers can cache the front of it. */
import { environmentHint, type EnvironmentFacts } from './environment-hint.ts';
import { type PromptTool, toolGuidance } from './guidance.ts';
import { workingRules } from './working-rules.ts';
import { platformHint } from './platform-hints.ts';
import { leanIndex } from './lean-index.ts';
import { startLines, type StartFacts } from './start-lines.ts';
import { toolUseBlocks, type ToolUseEnforcement } from './tool-use.ts';

export interface PromptFacts extends StartFacts {
  /** `lean` leaves out what a capable model can do without. */
  readonly profile: 'default' | 'lean';
  readonly identity: string;
  /** The tools that the model is offered, in the order in which they are spoken of. */
  readonly tools: readonly PromptTool[];
  /** `agent.task_completion_guidance` */
  readonly completionGuidance: boolean;
  /** `agent.parallel_tool_call_guidance` */
  readonly parallelGuidance: boolean;
  readonly toolUseEnforcement: ToolUseEnforcement;
  /** The block of skills; empty when none is visible. */
  readonly skillsIndex: string;
  /** Where commands run. */
  readonly environment: EnvironmentFacts;
  /** The surface the user sits at (`cli`, `telegram` …). */
  readonly surface: string;
  /** `platform_hints` */
  readonly platformHints: Readonly<Record<string, unknown>>;
  /** Of platforms that plug-ins bring, by their names. */
  readonly pluggedHints?: Readonly<Record<string, string>>;
  /** `HERMES_AGENT_HELP_GUIDANCE`: what whoever deployed this wants said. */
  readonly deploymentText: string;
  /** From the caller of this session. */
  readonly systemMessage: string;
  /** How to work with code, the workspace, and what the user wants of it; empty outside of one. */
  readonly coding: { readonly rules: string; readonly snapshot: string; readonly instructions: string };
  /** The `# Project Context` part. */
  readonly projectContext: string;
  /** Finished blocks; empty when there is nothing to say. */
  readonly memory: string;
  readonly userProfile: string;
  readonly externalMemory: string;
}

/** How long a part stays the same: for the installation, for the project, for the session. */
export type PromptTier = 'stable' | 'context' | 'volatile';

export interface PromptPart {
  readonly name: string;
  readonly tier: PromptTier;
  readonly text: string;
}

/** The parts that have text, in the order they are sent. The same facts give the same bytes. */
export function promptParts(facts: PromptFacts): readonly PromptPart[] {
  const { tools, profile } = facts;
  const seesSkills = tools.some(({ toolset }) => toolset === 'skills');
  const index = profile === 'lean' ? leanIndex(facts.skillsIndex) : facts.skillsIndex;
  const parts: readonly PromptPart[] = [
    part('stable', 'identity', facts.identity),
    part('stable', 'working rules', workingRules(facts)),
    part('stable', 'guidance', toolGuidance(tools, profile)),
    part('stable', 'tool use', toolUseBlocks(facts.toolUseEnforcement, facts.model, tools.length).join('\n\n')),
    part('stable', 'coding rules', facts.coding.rules),
    part('stable', 'skills index', seesSkills ? index : ''),
    part('stable', 'environment', environmentHint(tools, facts.environment)),
    part('stable', 'platform', platformHint(facts.surface, facts.platformHints, facts.pluggedHints)),
    part('stable', 'deployment', facts.deploymentText),
    part('context', 'system message', facts.systemMessage),
    part('context', 'project files', facts.projectContext),
    part('context', 'workspace', facts.coding.snapshot),
    part('context', 'coding instructions', facts.coding.instructions),
    part('volatile', 'memory', facts.memory),
    part('volatile', 'user profile', facts.userProfile),
    part('volatile', 'external memory', facts.externalMemory),
    part('volatile', 'start', startLines(facts)),
  ];
  return parts.filter(({ text }) => text !== '');
}

/** Parts joined by one blank line. */
export function joinParts(parts: readonly PromptPart[]): string {
  return parts.map(({ text }) => text).join('\n\n');
}

function part(tier: PromptTier, name: string, text: string): PromptPart {
  return { name, tier, text: text.trim() };
}
