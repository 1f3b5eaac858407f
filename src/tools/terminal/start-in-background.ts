/** Starts a command of `terminal` that goes on beside the conversation. */
import type { GoesOn } from '../../agent/policy.ts';
import { answer, type ToolOutcome } from '../../agent/tool.ts';
import type { ProcessRegistry, SeenRun } from '../../environments/process-registry.ts';
import { placeRun } from './judge-command.ts';
import { keepRules } from './kept-rules.ts';
import { requireUnchanged } from './run-files.ts';
import { sudoRun } from './sudo.ts';
import { approvalOf, directoryOf, givenDirectory, type TerminalArgs, type TerminalContext } from './terminal-call.ts';
import { withheldNote } from './withheld-note.ts';

/** `ended` is called once when it has ended. */
export async function startInBackground(
  args: TerminalArgs,
  context: TerminalContext,
  ended: () => Promise<void>,
): Promise<ToolOutcome> {
  const { environment, processes } = context.services;
  const directory = directoryOf(args, context.services);
  const confinement = await placeRun(args.command, directory, context);
  const sudo =
    confinement === undefined && environment.kind === 'local' ? await sudoRun(args.command, context) : undefined;
  await requireUnchanged(args.command, directory, context);
  const rules = confinement === undefined ? undefined : await keepRules(directory, context.services);
  const started = await processes.start(environment, args.command, {
    ...(sudo === undefined ? {} : { run: sudo.command }),
    ...givenDirectory(args, context.services),
    ...(confinement === undefined
      ? {}
      : { confinement, note: (run: SeenRun) => withheldNote(run, args.command, directory, context) }),
    pty: args.pty && !readsTokenFromInput(args.command),
    notifyOnComplete: args.notify_on_complete,
    ...(args.watch_patterns === undefined || args.notify_on_complete ? {} : { watchPatterns: args.watch_patterns }),
    taskId: context.taskId,
  });
  void started.process.exited.then(() => rules?.restore()).then(ended, ended);
  if (sudo !== undefined) void started.process.exited.finally(() => sudo.end());
  const value = {
    output: 'Background process started',
    session_id: started.id,
    pid: started.process.pid,
    exit_code: 0,
    error: null,
    ...noticesOf(args, processes.isHeard),
    ...approvalOf(context),
    ...(args.pty && readsTokenFromInput(args.command)
      ? { pty_note: 'Started without a terminal: it reads a token from its input, which a terminal would show.' }
      : {}),
    ...(args.timeout === undefined
      ? {}
      : { timeout_note: 'timeout limits foreground commands only; end this process with the process tool.' }),
  };
  const note = context.services.state.unconfined.takeNote();
  return {
    ...answer(
      { ...value, ...(note === undefined ? {} : { note }) },
      confinement === undefined ? {} : { confined: true },
    ),
    goesOn: {
      id: started.id,
      ended: started.process.exited.then((exitCode) => endOf(started.id, exitCode, processes)),
    },
  };
}

/** Looked up in the list: to poll a process would take back the notice of its end. */
function endOf(id: string, exitCode: number, processes: ProcessRegistry): Awaited<GoesOn['ended']> {
  const known = processes.list().find((process) => process.id === id);
  const endedBy = known?.terminationSource ?? '';
  return { exitCode: known?.exitCode ?? exitCode, ...(endedBy === '' ? {} : { endedBy }) };
}

/** What the model will be told of a process, and what of that it asked for in vain. */
function noticesOf({ notify_on_complete, watch_patterns }: TerminalArgs, isHeard: boolean): object {
  if (!notify_on_complete && watch_patterns === undefined) {
    return {
      hint: 'You will not be told when it ends: look with process (poll, wait), or start it with notify_on_complete.',
    };
  }
  if (!isHeard) {
    return {
      notify_on_complete: false,
      notify_unsupported: 'Notices do not reach you here: look with process (poll, wait) before you answer.',
    };
  }
  if (!notify_on_complete) return watch_patterns === undefined ? {} : { watch_patterns };
  return {
    notify_on_complete,
    ...(watch_patterns === undefined
      ? {}
      : { watch_patterns_ignored: 'notify_on_complete is set: you are told of the end, once.' }),
  };
}

/** https://cli.github.com/manual/gh_auth_login */
function readsTokenFromInput(command: string): boolean {
  return /\bgh\s+auth\s+login\b.*--with-token\b/.test(command);
}
