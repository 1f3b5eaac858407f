/** The deliberate differences that scripted one-shots meet: the first column of their rows in `docs/differences.md`. */
export const differences = {
  unreadable: 'arguments of a call that cannot be read',
  unfit: 'arguments of a call that do not fit the tool',
  unknownTool: 'an unknown tool beside known ones in one answer',
  failedRequest: 'exit code when the provider refuses the request',
  usedUp: 'exit code of `-z` and `chat -q` when the answer was cut or the steps were used up',
  noSession: '`--resume` of a session that is not there',
  outOfTime: 'a command that runs out of time',
  unread: '`read_file` of what it cannot show',
  ontoFolder: '`write_file` onto a folder',
  fuzzy: '`patch` that forgives a small difference',
  nothingToPatch: '`patch` of a file that is not there',
  change: '`_change` in the results of `skill_manage`',
} as const;
