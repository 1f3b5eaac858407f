/** What happens between the decision to write files and the write: a last look at where they lie, and a checkpoint. */
import type { FilePath, ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import type { FileProblem } from './file-access.ts';
import { unaskedProblem } from './judge-write.ts';
import { writeWarnings } from './write-warnings.ts';

/** Why the files must not be written after all, or what is to be told beside the result, and the check that was begun. */
export async function beforeWrite<Check>(
  targets: readonly FilePath[],
  reason: string,
  context: ToolContext<ToolServices>,
  beginCheck: () => Promise<Check>,
): Promise<FileProblem | { readonly warnings: { readonly _warning?: string }; readonly check: Check }> {
  const { edits, files, guard } = context.services;
  for (const { resolved } of targets) {
    const denied = guard.denyWrite(await files.realPath(resolved));
    // Nothing is kept of what stays as it is.
    if (denied !== undefined) return { error: denied };
  }
  await edits.checkpoints?.before(
    targets.map(({ resolved }) => resolved),
    reason,
  );
  const warnings = await writeWarnings(targets, context);
  const check = await beginCheck();
  return (await unaskedProblem(targets, context)) ?? { warnings, check };
}
