/** How one session goes on in another: the rules that every store shares. */
import { isJsonObject, parseJson } from '../lib/json.ts';
import type { ChildSession, NewSession, SessionRow } from './sessions.ts';

/** More links than any real conversation has; a circle in a damaged store must not hang a resume. */
export const MAX_LINEAGE = 1000;

/** The row of a child: of the same person, on the same surface, with the same model. */
export function childOf(parent: SessionRow, { id, systemPrompt, model, parentEndReason }: ChildSession): NewSession {
  return {
    id,
    source: parent.source,
    parentSessionId: parent.id,
    ...(parent.user_id !== null && { userId: parent.user_id }),
    ...((model ?? parent.model) !== null && { model: model ?? parent.model ?? '' }),
    ...(parent.cwd !== null && {
      workspace: {
        cwd: parent.cwd,
        ...(parent.git_branch !== null && { gitBranch: parent.git_branch }),
        ...(parent.git_repo_root !== null && { gitRepoRoot: parent.git_repo_root }),
      },
    }),
    ...configOf(parent, parentEndReason),
    ...(systemPrompt !== undefined && { systemPrompt }),
  };
}

/** What the parent was made with, without what it came of: a continuation of a branch is none, a branch says so. */
function configOf({ id, model_config: stored }: SessionRow, reason: string): Pick<NewSession, 'modelConfig'> {
  const parsed = stored === null ? undefined : parseJson(stored);
  const { _branched_from, _delegate_from, ...config } = isJsonObject(parsed) ? parsed : {};
  const marked = reason === 'branched' ? { ...config, _branched_from: id } : config;
  return Object.keys(marked).length === 0 ? {} : { modelConfig: marked };
}
