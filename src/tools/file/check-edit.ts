/** Looks at files before they are changed and after: at their syntax, then at what language servers say is new. */
import type { FilePath, ToolContext } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import { checkEdit } from './new-problems.ts';
import type { SyntaxReport } from './syntax-check.ts';

/** Of all files of one call. */
const maxDiagnosticsChars = 4000;

/** What was found, under the names that the model reads. */
export interface EditReport {
  readonly lint: SyntaxReport;
  readonly lsp_diagnostics?: string;
}

/** A change of one file, from its beginning on. */
export interface EditCheck {
  /** The file holds this now. */
  written(text: string): void;
  /** To be asked for once, when all files of the call are written. */
  report(): Promise<EditReport>;
}

/** Before a file is written. `text` is what it holds now, undefined for a file that is new or no text. */
export async function beginEdit(
  target: FilePath,
  text: string | undefined,
  context: ToolContext<ToolServices>,
): Promise<EditCheck> {
  const watched = await context.services.edits.diagnostics?.before(target.resolved, text, context.signal);
  let now = text ?? '';
  return {
    written(after) {
      now = after;
      watched?.written(after);
    },
    async report() {
      const syntax = await checkEdit(target, { before: text, after: now }, context);
      // Of broken syntax a server only says more of the same; so its answer is not waited for.
      const found = await watched?.newErrors(syntax.status === 'error' ? AbortSignal.abort() : context.signal);
      if (found === undefined) return { lint: syntax };
      return { lint: syntax, lsp_diagnostics: context.services.redact(found) };
    },
  };
}

/** The reports of several files as one text. */
export function joinDiagnostics(reports: readonly string[]): string | undefined {
  let text = '';
  for (const [index, report] of reports.entries()) {
    if (index > 0 && text.length + report.length > maxDiagnosticsChars) {
      return `${text}\n... and errors in ${reports.length - index} more files`;
    }
    text += index === 0 ? report : `\n${report}`;
  }
  return text === '' ? undefined : text;
}
