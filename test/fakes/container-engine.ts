/** The command line of docker as far as we use it: it notes every call, and runs what is to run inside here. */
import { type NotedProgram, notedProgram } from './noted-program.ts';

/**
 * @param directory of the test's own
 * @param home the user's directory inside
 * @param answers shell text that may answer first, with the arguments in `$@`; it exits when it did
 */
export function fakeEngine(directory: string, home: string, answers = ''): NotedProgram {
  return notedProgram(
    directory,
    'docker',
    `${answers}
case $1 in
  version) echo fake;;
  info) echo overlay2;;
  inspect) [ -e '${directory}/made' ] || { echo 'Error: No such container' >&2; exit 1; }; cat '${directory}/made';;
  image) echo null;;
  run) for word in "$@"; do case $word in hermes-settings=*) echo "true \${word#*=}" >'${directory}/made';; esac; done;;
  rm) rm -f '${directory}/made';;
  exec) shift 3; HOME='${home}' exec "$@";;
esac
`,
  );
}
