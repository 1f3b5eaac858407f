/** Programs that record and play, as a test says: found under the names of real ones in a folder of their own. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface SoundPrograms {
  /** The whole search path. */
  readonly path: string;
  /** Gives the sounds of `takes` one after the other, each followed by silence without end; then nothing at all. */
  record(...takes: readonly Buffer[]): void;
  /** What was played so far. */
  played(): readonly Buffer[];
  /** Process ids of recorders and players that still run. */
  running(): readonly number[];
  /** A recorder of another name that does the same. */
  alsoAs(name: string): void;
  /** From now on a program only says that it is broken. */
  breaks(name: string): void;
  /** From now on what is spoken sounds until it is ended; tones do not. */
  playForever(): void;
}

export function soundPrograms(folder: string): SoundPrograms {
  for (const name of ['bin', 'takes', 'played', 'pids']) mkdirSync(join(folder, name), { recursive: true });
  const program = (name: string, text: string): void => {
    const path = join(folder, 'bin', name);
    writeFileSync(path, `#!/bin/sh\ncd '${folder}'\nPATH=/usr/bin:/bin\ntouch "pids/$$"\n${text}`);
    chmodSync(path, 0o755);
  };
  const recorder =
    'take=$(ls takes | sort -n | head -n 1)\n[ -n "$take" ] || { echo "audio open error: no such device" >&2; exit 1; }\nmv "takes/$take" taken\ncat taken\nexec sleep 1000\n';
  program('arecord', recorder);
  program(
    'aplay',
    'cp "$2" "playing.$$"\nmv "playing.$$" "played/$(ls played | wc -l)"\n[ ! -e forever ] || [ "$(head -c 4 "$2")" = RIFF ] || exec sleep 1000\n',
  );
  let takes = 0;
  return {
    path: join(folder, 'bin'),
    record(...sounds) {
      for (const sound of sounds) {
        takes += 1;
        writeFileSync(join(folder, 'takes', String(takes)), sound);
      }
    },
    played: () =>
      readdirSync(join(folder, 'played'))
        .sort((left, right) => Number(left) - Number(right))
        .map((name) => readFileSync(join(folder, 'played', name))),
    running: () =>
      readdirSync(join(folder, 'pids'))
        .map(Number)
        .filter((pid) => existsSync(`/proc/${pid}`)),
    alsoAs: (name) => program(name, recorder),
    breaks: (name) => program(name, 'echo broken >&2\nexit 1\n'),
    playForever: () => writeFileSync(join(folder, 'forever'), ''),
  };
}

/** Waits for a condition, not for a time. */
export async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !condition(); ) {
    if (Date.now() > end) throw new Error('it did not happen');
    await delay(10);
  }
}
