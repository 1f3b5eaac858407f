/** One script from its start to what the model reads of it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { answer, failure, type ToolContext, type ToolOutcome } from '../../agent/tool.ts';
import type { ProgramEnd } from '../../environments/environment.ts';
import { stripAnsi } from '../../lib/ansi.ts';
import { UserError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { mergeSources } from '../../llm/source.ts';
import { isForScripts } from '../../safety/script-env.ts';
import { firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';
import { approvalOf } from '../terminal/terminal-call.ts';
import { keepRules, putBackNote } from '../terminal/kept-rules.ts';
import { beginRun } from '../terminal/outside-run.ts';
import { CallChannel } from './call-channel.ts';
import { placeScript } from './judge-script.ts';
import { FirstBytes, KeptBytes } from './kept-bytes.ts';
import type { ScriptLanguage } from './languages/language.ts';
import { withheldWarning } from './withheld-warning.ts';

type ScriptContext = ToolContext<ToolServices>;

const maxStdoutBytes = 50_000;
const maxStderrBytes = 10_000;
/** In a script's folder, where requests go as files. */
const requestFolder = 'calls';

/** What a script left behind. */
interface Ended {
  readonly end: ProgramEnd;
  readonly stdout: KeptBytes;
  readonly stderr: FirstBytes;
  readonly seconds: number;
}

/** @throws UserError when it cannot be run */
export async function runScript(code: string, language: ScriptLanguage, context: ScriptContext): Promise<ToolOutcome> {
  const { services } = context;
  const { source } = language;
  const directory = services.environment.cwd;
  const confinement = await placeScript(context);
  const rules = confinement === undefined ? await keepRules(directory, services) : undefined;
  const tools = context.tools ?? { names: new Set<string>(), call: () => Promise.reject(new Error('no tools')) };
  const channel = new CallChannel({
    tools,
    maxCalls: services.config.code_execution.max_tool_calls,
    called: (tool, args) => context.progress(services.redact(`${tool} ${firstWords(JSON.stringify(args))}\n`)),
  });
  const endOutsideRun = await beginRun([source], services);
  try {
    const ended = await runProgram({ code, language, names: tools.names }, channel, {
      context,
      confinement,
      directory,
    });
    // A call that still runs ends with the script that made it.
    await channel.close();
    const putBack = putBackNote((await rules?.restore()) ?? [], services);
    const outcome = outcomeOf(ended, channel.made, { context, confined: confinement !== undefined, putBack });
    return { ...outcome, sources: mergeSources([source], channel.sources) };
  } finally {
    await channel.close();
    await endOutsideRun();
  }
}

async function runProgram(
  {
    code,
    language,
    names,
  }: { readonly code: string; readonly language: ScriptLanguage; readonly names: ReadonlySet<string> },
  channel: CallChannel,
  {
    context: { services, signal },
    confinement,
    directory,
  }: {
    readonly context: ScriptContext;
    readonly confinement: Awaited<ReturnType<typeof placeScript>>;
    readonly directory: string;
  },
): Promise<Ended> {
  const { config, environment } = services;
  const { mode, timeout } = config.code_execution;
  const program = await programFor(language, services);
  const stdout = new KeptBytes(maxStdoutBytes);
  const stderr = new FirstBytes(maxStderrBytes);
  const passed = new Set(config.terminal.env_passthrough);
  const started = performance.now();
  const end = await environment.runBeside({
    async prepare(folder, { sockets }) {
      await writeFiles(folder, language.files(code, names));
      const { argv, variables } = language.command(program, folder);
      return {
        argv,
        cwd: mode === 'strict' ? folder : directory,
        variables: {
          ...variables,
          ...(sockets
            ? { HERMES_RPC_SOCKET: await channel.open(folder) }
            : { HERMES_RPC_DIR: join(folder, requestFolder) }),
          HERMES_RPC_TOKEN: channel.token,
          ...(config.timezone === '' ? {} : { TZ: config.timezone }),
        },
        ...(sockets ? {} : { answer: (line) => channel.answer(line) }),
      };
    },
    keeps: (name) => isForScripts(name) || passed.has(name),
    timeoutMs: timeout * 1000,
    signal,
    ...(confinement === undefined ? {} : { confinement }),
    onOutput: (bytes) => stdout.push(bytes),
    onErrors: (bytes) => stderr.push(bytes),
  });
  return { end, stdout, stderr, seconds: Math.round((performance.now() - started) / 10) / 100 };
}

/** On another host nobody knows before it is looked for. */
async function programFor(language: ScriptLanguage, services: ToolServices): Promise<string> {
  const { environment, paths } = services;
  if (environment.kind === 'local') {
    const found = paths.interpreters?.[language.id];
    if (found !== undefined) return found;
  } else {
    for (const name of language.programs) if ((await environment.findProgram(name)) !== undefined) return name;
  }
  throw new UserError(language.install);
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  }
}

function outcomeOf(
  { end, stdout, stderr, seconds }: Ended,
  calls: number,
  {
    context,
    confined,
    putBack,
  }: { readonly context: ScriptContext; readonly confined: boolean; readonly putBack: string | undefined },
): ToolOutcome {
  const { services } = context;
  const clean = (text: string): string => services.redact(stripAnsi(text).replaceAll('\r\n', '\n')).trimEnd();
  const errors = clean(stderr.text());
  const warning = [
    services.state.unconfined.takeNote(),
    confined ? withheldWarning(end.withheld(`${stdout.text()}\n${errors}`)) : undefined,
    putBack,
  ].filter((line) => line !== undefined);
  const told = {
    ...resultOf(end, clean(stdout.text()), errors, services.config.code_execution.timeout),
    exit_code: end.exitCode,
    tool_calls_made: calls,
    duration_seconds: seconds,
    stdout_truncated: stdout.omitted > 0,
    stdout_bytes_captured: stdout.captured,
    stdout_bytes_total: stdout.total,
    stdout_bytes_omitted: stdout.omitted,
    ...approvalOf(context),
    ...(warning.length === 0 ? {} : { warning: warning.join(' ') }),
  };
  const details = { exitCode: end.exitCode, ...(confined ? { confined: true as const } : {}) };
  return told.status === 'success' ? answer(told, details) : failure(told, details);
}

function resultOf({ ended, exitCode }: ProgramEnd, output: string, errors: string, seconds: number) {
  const withErrors = errors === '' ? output : `${output}\n--- stderr ---\n${errors}`.trimStart();
  if (ended === 'timeout') {
    const error = `Script timed out after ${seconds}s and was killed.`;
    return { status: 'timeout', output: `${withErrors}\n${error}`.trimStart(), error } satisfies JsonObject;
  }
  if (ended === 'interrupt') {
    const said = '[execution interrupted — user sent a new message]';
    return { status: 'interrupted', output: `${withErrors}\n${said}`.trimStart() } satisfies JsonObject;
  }
  if (exitCode === 0) return { status: 'success', output } satisfies JsonObject;
  const error = errors === '' ? `The script ended with exit code ${exitCode}.` : errors;
  return { status: 'error', output: withErrors, error } satisfies JsonObject;
}
