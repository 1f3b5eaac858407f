/** Opens the interactive chat with what the configuration says about its looks. */
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { checkpointLimits } from '../../checkpoints/limits.ts';
import { updateConfig } from '../../config/edit.ts';
import { displayPath } from '../../config/home.ts';
import type { GatewayDoor } from '../../commands/gateway-door.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { TerminalSettings } from '../../config/process-settings.ts';
import { folderOf } from '../../runtime/new-session.ts';
import { restoredFolder } from './restored-folder.ts';
import type { Program } from '../../runtime/program.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import type { CommandPaths } from '../../safety/commands/paths.ts';
import { createRedactor } from '../../safety/redact.ts';
import { secretValuesOf } from '../../safety/secret-variables.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { workspaceFolder } from '../../runtime/workspace-folder.ts';
import { readPackage } from '../commands/version.ts';
import { colorsFor } from '../render/colors.ts';
import { modelNames } from './model-names.ts';
import type { OutsideChat, ViewSettings } from '../interactive/chat-options.ts';
import { ChatLooks } from '../skins/chat-looks.ts';
import { SkinPalette } from '../skins/skin-palette.ts';

/** Returns the exit code once the user has left. */
export async function openTerminal(
  context: CliContext,
  program: Program,
  spec: Omit<SessionSpec, 'human'>,
  {
    verbose,
    plain: wantsPlain,
    compact,
  }: { readonly verbose: boolean; readonly plain: boolean; readonly compact: boolean },
): Promise<number> {
  const { runChat } = await import('../interactive/chat.ts');
  const { InputHistory } = await import('../interactive/input-history.ts');
  const { Pastes } = await import('../interactive/pastes.ts');
  const loaded = await context.config();
  const { display, approvals, clarify } = loaded.config;
  const { home, env, io, log } = context;
  const { cwd } = folderOf(process.cwd(), spec);
  for (const line of restoredFolder(cwd)) io.stdout.write(`${line}\n`);
  const { terminal } = context.settings;
  const plain = wantsPlain || terminal.dumb;
  const looks = new ChatLooks(
    home.path,
    new SkinPalette(colorsFor(io.stdout, { color: terminal.color && !plain }), terminal.trueColor),
  );
  looks.setLight(terminal.light ?? false);
  await wearConfigured(looks, display.skin, (line) => io.stderr.write(`${line}\n`));
  const { exitCode, lines } = await runChat({
    program,
    spec,
    looks,
    settings: {
      display: {
        toolProgress: verbose ? 'verbose' : display.tool_progress,
        busyMode: display.busy_input_mode,
        showReasoning: display.show_reasoning,
        fullReasoning: display.reasoning_full,
        statusBar: true,
        timestamps: display.timestamps,
        timestampFormat: display.timestamp_format,
      },
      looks,
      reloadVariables: () => context.reloadVariables(),
      async report() {
        const { configReport } = await import('../config-report.ts');
        return configReport(context, loaded);
      },
      async allowed() {
        const { loadConfig } = await import('../../config/load.ts');
        const { approvals, command_allowlist } = (await loadConfig({ home, env })).config;
        return { commands: approvals.allow, kinds: command_allowlist };
      },
      async save(changes) {
        await updateConfig({ home, env }, changes);
      },
    },
    about: {
      version: readPackage().version,
      profile: home.profile,
      homePath: displayPath(home.path, env),
      cwd: displayPath(cwd, env),
      startedAt: Date.now(),
      paths: {
        homePath: home.path,
        cwd,
        env,
        checkpoints: () => checkpointLimits(loaded),
        async skillRules() {
          const { loadConfig } = await import('../../config/load.ts');
          const { security, skills } = (await loadConfig({ home, env })).config;
          return { allowPrivateUrls: security.allow_private_urls, disabled: skills.disabled };
        },
      },
    },
    view: viewOf(loaded, terminal, { plain, compact }),
    commandPaths: commandPathsAt(home, cwd),
    approvalSeconds: approvals.timeout,
    clarifySeconds: clarify.timeout,
    confirms: approvals,
    history: new InputHistory(join(home.path, '.hermes_history'), holdsSecret(env), log),
    process: { editors: terminal.editors.toReversed(), exitSeconds: context.settings.exitSeconds },
    pastes: new Pastes(join(home.path, 'pastes'), (path) => displayPath(path, env), log, {
      lineBreaks: loaded.config.paste_collapse_threshold,
      guessedLineBreaks: loaded.config.paste_collapse_threshold_fallback,
      characters: loaded.config.paste_collapse_char_threshold,
    }),
    outside: outsideOf(context, program),
  });
  for (const line of lines) io.stdout.write(`${line}\n`);
  return exitCode;
}

function outsideOf(context: CliContext, program: Program): OutsideChat {
  const { home, env } = context;
  return {
    async saveFile(relativePath, text) {
      const path = join(home.path, relativePath);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      writeFileAtomic(path, text);
      return displayPath(path, env);
    },
    async runProgram(words) {
      const { runBeside } = await import('./run-beside.ts');
      return await runBeside(['--profile', home.profile, ...words], env);
    },
    gateway: lazyGateway(context, program),
  };
}

/** Most chats never ask for it. */
function lazyGateway(context: CliContext, program: Program): GatewayDoor {
  const door = async (): Promise<GatewayDoor> => {
    const { gatewayDoor } = await import('../gateway/door.ts');
    const { pluggedOf } = await import('../../gateway/plugged/plugged-of.ts');
    return gatewayDoor(context, await pluggedOf(program));
  };
  return {
    lines: async () => await (await door()).lines(),
    home: async (platform) => await (await door()).home(platform),
    footer: async () => await (await door()).footer(),
  };
}

/** A skin that is not there any more is no reason not to start. */
async function wearConfigured(looks: ChatLooks, name: string, warn: (line: string) => void): Promise<void> {
  try {
    for (const line of await looks.wear(name)) warn(line);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    warn(`config: display.skin: ${error.message} The plain one is used.`);
  }
}

function viewOf(
  { config }: LoadedConfig,
  terminal: TerminalSettings,
  { plain, compact }: { readonly plain: boolean; readonly compact: boolean },
): ViewSettings {
  const { display, limits } = config;
  const { first_lines: first, last_lines: last } = display.user_message_preview;
  return {
    streaming: display.streaming,
    markdown: display.final_response_markdown,
    explains: display.turn_completion_explainer,
    echo: { first, last: Math.max(0, last) },
    persistPrompts: display.persist_prompts,
    redrawLines: display.persistent_output ? display.persistent_output_max_lines : 0,
    refreshSeconds: Math.max(0, display.cli_refresh_interval),
    plain,
    askBackground: terminal.light === undefined && terminal.color && !plain,
    still: terminal.still,
    reflows: terminal.reflows,
    deferAgent: terminal.deferAgent,
    personality: display.personality.trim().toLowerCase(),
    previewChars: display.tool_preview_length,
    compact: compact || display.compact || terminal.shortWelcome,
    shortRecap: display.resume_display === 'minimal',
    recap: {
      exchanges: display.resume_exchanges,
      userChars: display.resume_max_user_chars,
      answerChars: display.resume_max_assistant_chars,
      answerLines: display.resume_max_assistant_lines,
      skipToolOnly: display.resume_skip_tool_only,
    },
    inlineDiffs: display.inline_diffs,
    bellOnComplete: display.bell_on_complete,
    showCost: display.show_cost,
    modelNames: modelNames(config),
    sessionLimit: limits.session_usd > 0 ? limits.session_usd : undefined,
  };
}

/** Whether a line is better not written to the history. */
function holdsSecret(env: CliContext['env']): (text: string) => boolean {
  const redact = createRedactor({ enabled: true, secretValues: secretValuesOf(env) });
  return (text) => redact(text) !== text;
}

/** For what a person is shown of a command that they are asked about. */
function commandPathsAt(home: CliContext['home'], cwd: string): CommandPaths {
  return {
    homePath: home.path,
    root: home.root,
    userHome: homedir(),
    cwd: process.cwd(),
    // Looked for with the first question.
    get workspace() {
      return workspaceFolder(cwd, homedir());
    },
  };
}
