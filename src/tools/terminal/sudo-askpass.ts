/** A program that `sudo` asks for the password: it leaves the command's own input alone, and works in the background. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Askpass {
  /** What stands in the place of `sudo`. */
  readonly sudo: string;
  /** Takes what is left of it away. */
  remove(): void;
}

/** Hands the password out `times` times at most, to `sudo` only; it lies in no argument, variable or command text. */
export function createAskpass(password: string, times: number): Askpass {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-local-'));
  for (let time = 1; time <= times; time += 1) {
    writeFileSync(join(folder, `once${time}`), `${password}\n`, { mode: 0o600, flag: 'wx' });
  }
  const program = join(folder, 'askpass');
  writeFileSync(program, askpassText(folder), { mode: 0o700, flag: 'wx' });
  return {
    sudo: `SUDO_ASKPASS=${quote(program)} sudo -A`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Each file is taken once: whoever moves it away has it. */
function askpassText(folder: string): string {
  return `#!/bin/sh
[ -r "/proc/$PPID/comm" ] && { read -r name < "/proc/$PPID/comm"; [ "$name" = sudo ] || exit 1; }
for file in ${quote(folder)}/once*; do
  mv "$file" "$file.$$" 2>/dev/null && { cat "$file.$$"; rm -f "$file.$$"; exit 0; }
done
exit 1
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
