/** The command line of apptainer as far as we use it: it notes every call, and runs what is to run inside here. */
import { type NotedProgram, notedProgram } from './noted-program.ts';

/**
 * Puts `apptainer` into a directory, which is to be on the search path.
 * @param home the user's directory inside
 * @param answers shell text that may answer first, with the arguments in `$@`; it exits when it did
 */
export function fakeApptainer(directory: string, home: string, answers = ''): NotedProgram {
  return notedProgram(
    directory,
    'apptainer',
    `${answers}
case "$1 $2" in
  'instance list') echo 'INSTANCE NAME PID IP IMAGE'; [ -e "${directory}/$3.runs" ] && echo "$3 1 - image"; exit 0;;
  'instance start') touch "${directory}/\${@: -1}.runs";;
  'instance stop') rm "${directory}/$3.runs";;
  build*) touch "$2";;
  exec*)
    name=\${5#instance://}
    [ -e "${directory}/$name.runs" ] || { echo "FATAL: no instance found with name $name" >&2; exit 255; }
    shift 5; HOME='${home}' exec "$@";;
esac
`,
  );
}
