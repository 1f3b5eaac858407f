/** The shell text of commands that are started in one call and looked at in others. */
import { quote } from './script-text.ts';

/** How much of the output was fetched: it is kept in parts. */
export interface Position {
  readonly part: number;
  readonly offset: number;
}

/** What one look brings at the most. */
export const sliceBytes = 1_000_000;
const blockBytes = 4096;
const blocksInPart = 4096;
/** So many parts wait there; then the command waits, as one does whose output nobody reads. */
const waitingParts = 8;
/** Looks of the first second: most commands are short. */
const fastLooks = 20;

export interface Start {
  /** Made by it, and named by nothing but letters that need no quotes. */
  readonly directory: string;
  readonly command: string;
  /** In base64; without it, what was uploaded beside the directory. */
  readonly input?: string;
  /** Directories to take away. */
  readonly done: readonly string[];
}

/**
 * Starts a command in the background. Whoever makes the directory starts it: the text can be run again. `dd` hands on what
 * comes as it comes. `exec` lets go of the output of the call itself: shells keep a copy of what is redirected for
 * a while, and what goes on in the background would hold it.
 */
export function startText({ directory, command, input, done }: Start): string {
  const source = input === undefined ? `<${directory}.in/base64` : `<<'HERMES_INPUT'\n${input}\nHERMES_INPUT`;
  return `exec 2>/dev/null; umask 077; d=${directory}
${awayText(done)}
if mkdir $d; then
base64 -d >$d/in ${source}
rm -rf $d.in
(exec </dev/null >/dev/null 2>&1; {
  exec 3<$d/in; rm -f $d/in
  sh -c ${quote(command)} <&3 3<&- 2>$d/err
  echo $? >$d/status
} | {
  i=0
  while dd bs=${blockBytes} count=${blocksInPart} of=$d/$i && [ -s $d/$i ]; do
    i=$((i+1)); w=$((i-${waitingParts}))
    while [ $w -ge 0 ] && [ -e $d/$w ]; do sleep 0.05 || sleep 1; done
  done
  : >$d/eof
}) &
echo $! >$d/pid
fi
`;
}

/**
 * Waits until there is more than was fetched, and prints it: a state, the exit status when there is one, the bytes in base64,
 * and at the end what went to stderr. Takes away the parts before. The state is looked at before the bytes, and the end
 * before the next part, so that nothing is missed.
 */
export function lookText(directory: string, { part, offset }: Position, seconds: number): string {
  return `d=${directory}; p=${part}; o=${offset}; n=0; j=$((p-1))
exec 2>/dev/null; while [ $j -ge 0 ] && [ -e $d/$j ]; do rm -f $d/$j; j=$((j-1)); done
while :; do
  e=; [ -e $d/eof ] && e=1
  if ! [ -d $d ]; then t=none
  elif [ -e $d/$((p+1)) ]; then t=part
  elif [ -n "$e" ]; then t=end
  elif kill -0 "$(cat $d/pid)" || [ -e $d/eof ]; then t=more
  else t=gone; fi
  s=$(wc -c <$d/$p) || s=0
  [ $t = more ] && [ $((s)) -le $o ] && [ $n -lt ${fastLooks + (seconds - 1) * 4} ] || break
  n=$((n+1)); if [ $n -lt ${fastLooks} ]; then sleep 0.05; else sleep 0.25; fi || sleep 1
done
s=; [ $t = end ] && { s=$(cat $d/status) || s=137; }
echo "=$t $s"
tail -c +$((o+1)) $d/$p | head -c ${sliceBytes} | base64
[ $t = end ] && { echo -; tail -c 4000 $d/err | base64; }
:
`;
}

/** Takes away what is left of commands that have ended. */
export function awayText(done: readonly string[]): string {
  return done.length === 0 ? ':' : `rm -rf -- ${done.flatMap((path) => [path, `${path}.in`]).join(' ')}`;
}
