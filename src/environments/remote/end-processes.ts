/** Ends what runs on another host: a process, what descends from it, and all that carries a mark in its environment. */
import { quote } from './script-text.ts';

export interface Victims {
  /** Text in the environment of every process that is meant. */
  readonly mark: string;
  /** The shell of a command: ended by force before anything else, so that it cannot go on with its command line. */
  readonly leader?: number;
  /** The first process of something in the background: leads a session of its own, and is asked like the others. */
  readonly group?: number;
  /** Between asking and force; with 0 it is left at asking. */
  readonly graceMs: number;
}

const pauseSeconds = 0.05;
const killRounds = 40;

/**
 * What ends them, as work for `RemotePlace.work`. Ends with status 0 when nothing is left, or was only to be asked.
 * The grace is one of time, since a look may take long on a busy host. Neither session nor group of a shell is looked at:
 * some services run commands in a session of their own.
 */
export function endingText({ mark, leader, group, graceMs }: Victims): string {
  const askedMs = graceMs === 0 ? 1000 : graceMs;
  const rounds = Math.max(1, Math.ceil(askedMs / (pauseSeconds * 1000)));
  const roots = [leader, group].filter((id) => id !== undefined).map(asProcessId);
  const inGroup =
    group === undefined ? 'false' : `[ "$g" = ${asProcessId(group)} ] || [ "$n" = ${asProcessId(group)} ]`;
  return `
known=' ${roots.join(' ')} '
rows() {
  if [ -r /proc/self/stat ]; then
    for f in /proc/[0-9]*/stat; do
      IFS= read -r l <"$f" || continue
      p=\${f#/proc/}; p=\${p%/*}
      set -- \${l##*) }
      [ "$1" = Z ] || echo "$p $2 $3 $4"
    done
  else
    ps -axo pid=,ppid=,pgid=,stat= | while read -r p q g s; do case $s in Z*) ;; *) echo "$p $q $g $g";; esac; done
  fi
}
marked() {
  if ! [ -r /proc/self/stat ]; then
    ps -axEww -o pid=,command= | grep -F -e ${quote(mark)} | while read -r p l; do echo "$p"; done
  elif printf 'a\\0b' | grep -q -F -e b; then
    grep -l -F -e ${quote(mark)} /proc/[0-9]*/environ | tr -c '0-9\n' ' '
  else
    # The grep of BusyBox sees nothing behind a NUL.
    for f in /proc/[0-9]*/environ; do
      mapfile -d '' -t l <"$f" && case " \${l[*]} " in *${quote(mark)}*) p=\${f#/proc/}; echo "\${p%/*}";; esac
    done
  fi
}
find_all() {
  table=$(rows); all=
  for p in $(marked); do known="$known$p "; done
  more=1
  while [ -n "$more" ]; do
    more=
    while read -r p q g n; do
      case $known in *" $p "*) continue;; esac
      if ${inGroup}; then :; else case $known in *" $q "*) ;; *) continue;; esac; fi
      known="$known$p "; more=1
    done <<<"$table"
  done
  while read -r p q g n; do
    case $known in *" $p "*) [ "$p" = $$ ] || [ "$q" = $$ ] || all="$all $p";; esac
  done <<<"$table"
  [ -n "$all" ]
}
pause() { sleep ${pauseSeconds} || sleep 1; }
find_all
${leader === undefined ? '' : `kill -KILL ${asProcessId(leader)}`}
i=0; asked=; SECONDS=0
while [ $i -lt ${rounds} ] && [ $SECONDS -le ${Math.ceil(askedMs / 1000)} ] && [ -n "$all" ]; do
  for p in $all; do case " $asked " in *" $p "*) ;; *) kill -TERM "$p"; asked="$asked $p";; esac; done
  pause
  find_all
  i=$((i+1))
done
${graceMs === 0 ? 'true' : `i=0; while [ $i -lt ${killRounds} ] && find_all; do kill -KILL $all; pause; i=$((i+1)); done; ! find_all`}
`;
}

/** What a host says of itself goes into shell text: it must be a number, and never that of everybody. */
function asProcessId(value: number): number {
  if (!Number.isSafeInteger(value) || value <= 1) throw new RangeError(`${value} is no process id`);
  return value;
}
