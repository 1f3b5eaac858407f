/** Ends what runs on another host: by its session, its group, and the mark in its environment. */
import { quote } from './script-text.ts';

export interface Victims {
  /** Text in the environment of every process that is meant. */
  readonly mark: string;
  /** The shell that everything started from; ended by force first, so that it cannot go on with its command line. */
  readonly leader?: number;
  /** A leader whose end is somebody's business, and who is asked like the others. */
  readonly group?: number;
  /** Between asking and force; with 0 it is left at asking. */
  readonly graceMs: number;
}

/** What ends them, as work for `RemotePlace.work`. Ends with status 0 when nothing is left, or was only to be asked. */
export function endingText({ mark, leader, group, graceMs }: Victims): string {
  const head = leader ?? group;
  // In a container, processes from outside have session and group 0: without a leader neither is looked at.
  const inHead = (fields: readonly string[]): string =>
    head === undefined ? 'false' : fields.map((field) => `[ "$${field}" = ${asProcessId(head)} ]`).join(' || ');
  const rounds = Math.max(1, Math.ceil((graceMs === 0 ? 1000 : graceMs) / 50));
  return `
find_all() {
  all=
  if [ -r /proc/self/stat ]; then
    for f in $(grep -l -a -F -e ${quote(mark)} /proc/[0-9]*/environ); do f=\${f#/proc/}; all="$all \${f%/*}"; done
    for f in /proc/[0-9]*/stat; do
      IFS= read -r l <"$f" || continue
      p=\${f#/proc/}; p=\${p%/*}
      set -- \${l##*) }
      [ "$1" = Z ] && continue
      if ${inHead(['3', '4'])}; then all="$all $p"; fi
    done
  else
    all=$(ps -axo pid=,pgid= | while read -r p g; do if ${inHead(['g'])}; then echo "$p"; fi; done)
  fi
  a=; for p in $all; do [ "$p" = $$ ] || a="$a $p"; done; all=$a
  [ -n "$all" ]
}
pause() { sleep 0.05 || sleep 1; }
find_all
${leader === undefined ? '' : `kill -KILL ${asProcessId(leader)}`}
i=0
while [ $i -lt ${rounds} ] && [ -n "$all" ]; do
  for p in $all; do case " $asked " in *" $p "*) ;; *) kill -TERM "$p"; asked="$asked $p";; esac; done
  pause
  find_all
  i=$((i+1))
done
${graceMs === 0 ? 'true' : 'i=0; while [ $i -lt 40 ] && find_all; do kill -KILL $all; pause; i=$((i+1)); done; ! find_all'}
`;
}

/** What a host says of itself goes into shell text: it must be a number, and never that of everybody. */
function asProcessId(value: number): number {
  if (!Number.isSafeInteger(value) || value <= 1) throw new RangeError(`${value} is no process id`);
  return value;
}
