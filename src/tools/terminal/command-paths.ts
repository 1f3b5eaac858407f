/** What the judgement of shell text looks at. */
import type { CommandPaths } from '../../safety/commands/paths.ts';
import type { ToolServices } from '../services.ts';
import { createLinkFollower } from './follow-links.ts';

/** For text that starts in `cwd`. */
export function commandPaths(cwd: string, services: Pick<ToolServices, 'paths' | 'environment'>): CommandPaths {
  const local = services.environment.kind === 'local';
  return { ...services.paths, cwd, ...(local ? { follow: createLinkFollower() } : {}) };
}
