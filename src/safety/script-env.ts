/** Which variables a script of the model may see: of the environment of commands, only what programs need to run at all. */

/** Whatever has one of these in its name is nobody's business there, also where its beginning is harmless. */
const secretWords = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|PASSWD|AUTH|DSN|WEBHOOK|CREDS|BEARER/i;
const beginnings = /^(?:PATH|HOME|USER|LANG|LC_|TERM|TMPDIR|TMP|TEMP|SHELL|LOGNAME|XDG_|PYTHONPATH|VIRTUAL_ENV|CONDA)/;
const own: ReadonlySet<string> = new Set(['HERMES_HOME', 'HERMES_PROFILE', 'HERMES_CONFIG', 'HERMES_ENV']);

export function isForScripts(name: string): boolean {
  return own.has(name) || (beginnings.test(name) && !secretWords.test(name));
}
