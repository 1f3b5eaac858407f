/** Programs that record and play, as a test says: found under the names of real ones in a folder of their own. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SoundPrograms {
  /** The whole search path. */
  readonly path: string;
  /** Gives the sounds of `takes` one after the other, each followed by silence without end; then nothing at all. */
  record(...takes: readonly Buffer[]): void;
  /** What was played so far. */
  played(): readonly Buffer[];
  /** Process ids of recorders and players that still run. */
  running(): readonly number[];
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
  program(
    'arecord',
    'take=$(ls takes | sort -n | head -n 1)\n[ -n "$take" ] || { echo "audio open error: no such device" >&2; exit 1; }\nmv "takes/$take" taken\ncat taken\nexec sleep 1000\n',
  );
  program(
    'aplay',
    'cp "$2" "played/$(ls played | wc -l)"\n[ ! -e forever ] || [ "$(head -c 4 "$2")" = RIFF ] || exec sleep 1000\n',
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
    playForever: () => writeFileSync(join(folder, 'forever'), ''),
  };
}
