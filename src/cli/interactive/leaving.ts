/** The ways out of the chat, and the terminal's way back to the shell. */
import { exitAfter } from '../exit-watchdog.ts';
import type { ChatScreen } from './chat-screen.ts';

export interface Leaving {
  readonly exitCode: number;
  /** Stored as the end of the session; undefined: it goes on elsewhere. */
  readonly reason: string | undefined;
  /** There is no terminal any more to print to. */
  readonly silent?: boolean;
}

/** 128 plus the number of the signal, as shells count. */
export const leavingWith = {
  quit: { exitCode: 0, reason: 'cli_close' },
  putDown: { exitCode: 0, reason: undefined },
  interrupt: { exitCode: 130, reason: 'cli_close' },
  terminate: { exitCode: 143, reason: 'cli_close' },
  hangUp: { exitCode: 129, reason: 'cli_close', silent: true },
} as const satisfies Record<string, Leaving>;

/**
 * Shows the screen while `work` runs and gives the terminal back whatever happens: an error anywhere in the program
 * rejects with that error, signals end the work, and a sudden exit restores the terminal too. What a signal began and is
 * not done after twice `exitSeconds` is left behind.
 */
export async function whileRunning(
  screen: ChatScreen,
  { onInterrupt, exitSeconds }: { readonly onInterrupt: () => void; readonly exitSeconds: number },
  work: () => Promise<Leaving>,
): Promise<Leaving> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<Leaving>();
  const onTerminate = (): void => {
    exitAfter(exitSeconds * 2);
    resolve(leavingWith.terminate);
  };
  const onExit = (): void => screen.stop();
  const onHangUp = (): void => {
    exitAfter(exitSeconds * 2);
    screen.abandon();
    resolve(leavingWith.hangUp);
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', onHangUp);
  process.on('uncaughtException', reject);
  process.on('exit', onExit);
  // Ctrl+D ends what a terminal gives line by line.
  if (!screen.plain) process.stdin.on('end', onHangUp);
  process.stdin.on('error', onHangUp);
  screen.start();
  try {
    return await Promise.race([work(), ended]);
  } finally {
    screen.stop();
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onTerminate);
    process.off('SIGHUP', onHangUp);
    process.off('uncaughtException', reject);
    process.off('exit', onExit);
    process.stdin.off('end', onHangUp);
    process.stdin.off('error', onHangUp);
  }
}
