/** What a non-zero exit code says where it is an answer and not a failure, and which commands wait for something. */

/** By program: what its exit codes above 0 mean when nothing went wrong. */
const meanings: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: { 1: 'no line matched' },
  egrep: { 1: 'no line matched' },
  fgrep: { 1: 'no line matched' },
  zgrep: { 1: 'no line matched' },
  rg: { 1: 'no line matched' },
  ag: { 1: 'no line matched' },
  ack: { 1: 'no line matched' },
  diff: { 1: 'the files differ' },
  colordiff: { 1: 'the files differ' },
  cmp: { 1: 'the files differ' },
  find: { 1: 'some directories could not be read; what was found is shown' },
  test: { 1: 'the condition is false' },
  '[': { 1: 'the condition is false' },
  '[[': { 1: 'the condition is false' },
  pgrep: { 1: 'no process matched' },
  curl: {
    6: 'the host name was not found',
    7: 'nothing accepts connections at this address',
    22: 'the server answered with an HTTP error',
    28: 'the request took too long',
  },
  git: { 1: 'the answer is no, or there are differences' },
};

/** Only these commands of git use 1 for an answer. */
const gitAnswers = /^(?:diff|grep|merge-base|check-ignore|show-ref|rev-parse)$/;

/** Programs whose failure says "not yet": they are asked again until they succeed. */
const waiting = /^(?:test|\[|\[\[|pgrep|curl|wget|nc|ping|pg_isready|sleep|kill)$/;

/** In a few words, for the last command of the line, whose code it is; undefined where the code needs no word. */
export function exitCodeMeaning(command: string, exitCode: number): string | undefined {
  if (exitCode === 0) return undefined;
  const [program = '', ...words] = lastCommand(command);
  const meaning = meanings[program]?.[exitCode];
  if (program !== 'git') return meaning;
  const subcommand = words.find((word) => !word.startsWith('-')) ?? '';
  return gitAnswers.test(subcommand) ? meaning : undefined;
}

/** True for a command that looks whether something is ready, or waits a while before it does. */
export function awaitsSomething(command: string): boolean {
  return commandsOf(command).some(([program = '']) => waiting.test(program));
}

function lastCommand(command: string): readonly string[] {
  return commandsOf(command).at(-1) ?? [];
}

/** The words of each command of the line. Quotes are not read: a wrong guess costs a word of explanation. */
function commandsOf(command: string): string[][] {
  return command
    .split(/&&|\|\||[;|\n]/)
    .map((part) => wordsOf(part.trim()))
    .filter((words) => words.length > 0);
}

function wordsOf(part: string): string[] {
  const words = part.split(/\s+/).filter((word) => word !== '' && word !== '!' && word !== 'do');
  const start = words.findIndex((word) => !/^\w+=/.test(word) && word !== 'env' && word !== 'command');
  if (start === -1) return [];
  const [program = '', ...rest] = words.slice(start);
  return [program.split('/').at(-1) ?? program, ...rest];
}
