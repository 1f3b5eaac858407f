/** What a session is told about the code it works on: nothing outside of a workspace. */
import type { Config } from '../config/schema.ts';
import type { Workspace } from '../coding/workspace.ts';
import type { ToolServices } from '../tools/services.ts';

export interface CodingPrompt {
  /** How to work here; empty when nothing is to be said. */
  readonly rules: string;
  readonly snapshot: string;
  /** `agent.coding_instructions` */
  readonly instructions: string;
  /** Skills that have nothing to do with code are listed by name only. */
  readonly isFocused: boolean;
}

export const noCoding: CodingPrompt = { rules: '', snapshot: '', instructions: '', isFocused: false };

/** Surfaces at which somebody works in a directory. */
const surfaces = new Set(['cli', 'tui', 'acp', 'desktop', '']);

/** `focus`, by any of its names: such a session has tools for code alone. */
export function isFocused({ agent: { coding_context: mode } }: Config): boolean {
  return mode === 'focus' || mode === 'strict' || mode === 'lean';
}

export interface CodingPlace {
  readonly config: Config;
  readonly surface: string;
  readonly cwd: string;
}

/** The workspace of a session that is to be told of it; undefined for all others, which load nothing of this. */
export async function codingWorkspace(
  { config, surface, cwd }: CodingPlace,
  userHome: string,
): Promise<Workspace | undefined> {
  const { coding_context: mode } = config.agent;
  const everywhere = mode === 'on' || mode === 'always';
  if (mode === 'off' || mode === 'never' || (!everywhere && !surfaces.has(surface))) return undefined;
  const { findWorkspace } = await import('../coding/workspace.ts');
  return findWorkspace(cwd, userHome) ?? (everywhere ? { root: cwd } : undefined);
}

export async function codingPrompt(
  place: CodingPlace,
  model: string,
  { environment, paths, config }: ToolServices,
): Promise<CodingPrompt> {
  const workspace = await codingWorkspace(place, paths.userHome);
  if (workspace === undefined) return noCoding;
  const [{ workspaceSnapshot }, { codingRules }] = await Promise.all([
    import('../coding/snapshot.ts'),
    import('../prompt/coding-rules.ts'),
  ]);
  const { coding_instructions: own, prompt_profile: profile } = config.agent;
  return {
    rules: profile === 'lean' ? '' : codingRules(model),
    snapshot: environment.kind === 'local' ? await workspaceSnapshot(workspace, environment) : '',
    instructions: typeof own === 'string' ? own : own.join('\n'),
    isFocused: isFocused(config),
  };
}
