/** Opens the interactive chat with what the configuration says about its looks. */
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { updateConfig } from '../../config/edit.ts';
import { displayPath } from '../../config/home.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { createRedactor } from '../../safety/redact.ts';
import { secretValuesOf } from '../../safety/secret-variables.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';
import { colorsFor } from '../render/colors.ts';
import { type ChatOptions, namesIn } from './options.ts';

/** Returns the exit code once the user has left. */
export async function openTerminal(
  context: CliContext,
  options: ChatOptions,
  runtime: Runtime,
  resume: SessionRow | undefined,
): Promise<number> {
  const { runChat } = await import('../interactive/chat.ts');
  const { openInputHistory } = await import('../interactive/input-history.ts');
  const { openPastes } = await import('../interactive/pastes.ts');
  const loaded = await context.config();
  const { display, approvals, clarify } = loaded.config;
  const { home, env, io } = context;
  const { exitCode, lines } = await runChat({
    runtime,
    colors: colorsFor(io.stdout, context.settings.terminal),
    resume,
    preload: namesIn(options.skills),
    source: options.source ?? context.settings.sessionSource ?? 'cli',
    settings: {
      toolProgress: options.verbose ? 'verbose' : display.tool_progress,
      busyMode: display.busy_input_mode,
      showReasoning: display.show_reasoning,
      statusBar: true,
    },
    about: {
      version: readPackage().version,
      profile: home.profile,
      homePath: displayPath(home.path, env),
      cwd: displayPath(process.cwd(), env),
      startedAt: Date.now(),
      places: { homePath: home.path, cwd: process.cwd(), env },
    },
    previewChars: display.tool_preview_length,
    compact: display.compact,
    shortRecap: display.resume_display === 'minimal',
    bellOnComplete: display.bell_on_complete,
    approvalSeconds: approvals.timeout,
    clarifySeconds: clarify.timeout,
    confirmDestructive: approvals.destructive_slash_confirm,
    history: openInputHistory(join(home.path, '.hermes_history'), holdsSecret(env)),
    pastes: openPastes(join(home.path, 'pastes'), (path) => displayPath(path, env)),
    async configReport() {
      const { configReport } = await import('../config-report.ts');
      return configReport(context, loaded);
    },
    async saveFile(relativePath, text) {
      const path = join(home.path, relativePath);
      writeFileAtomic(path, text);
      return displayPath(path, env);
    },
    async saveSettings(changes) {
      await updateConfig({ home, env }, changes);
    },
    async stopConfirming() {
      await updateConfig({ home, env }, [{ path: ['approvals', 'destructive_slash_confirm'], value: false }]);
    },
  });
  for (const line of lines) io.stdout.write(`${line}\n`);
  return exitCode;
}

/** Whether a line is better not written to the history. */
function holdsSecret(env: CliContext['env']): (text: string) => boolean {
  const redact = createRedactor({ enabled: true, secretValues: secretValuesOf(env) });
  return (text) => redact(text) !== text;
}
