/** The completion scripts: each finds the path of commands typed so far and offers the words of it. */
import type { Words } from './tree.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const writers: Readonly<Record<Shell, (words: Words) => string>> = { bash, zsh, fish };

/** Names and flags hold letters, digits, `-` and `_` alone, so they need no quoting beyond quotes. */
export function completionScript(shell: Shell, words: Words): string {
  return writers[shell](words);
}

/** Profiles lie below the root that HERMES_HOME names, or that it is a profile of. */
const PROFILES = `_hermes_profiles() {
  local root="\${HERMES_HOME:-$HOME/.hermes}" folder
  case "$root" in */profiles/*) root="\${root%/profiles/*}" ;; esac
  echo default
  for folder in "$root"/profiles/*/; do
    if [ -d "$folder" ]; then basename "$folder"; fi
  done
}`;

/** A function that sets \`offered\` for the path in \`at\`; bash and zsh both read it. */
function offer(words: Words): string {
  const cases = [...words].map(([path, names]) => `    '${path}') offered='${names.join(' ')}' ;;`);
  return `_hermes_offer() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}`;
}

const FIND_PATH = `  while [ "$index" -lt "$last" ]; do
    word="$WORD"
    index=$((index + 1))
    if [ "$word" = -p ] || [ "$word" = --profile ]; then index=$((index + 1)); continue; fi
    case "$word" in -*) continue ;; esac
    if _hermes_offer "\${at:+$at }$word"; then at="\${at:+$at }$word"; fi
  done
  _hermes_offer "$at"
  case "$previous" in -p|--profile) offered="$(_hermes_profiles)" ;; esac
  case "$at" in
    'profile use'|'profile show'|'profile delete'|'profile rename'|'profile export'|'profile alias'|'profile describe'|'profile update'|'profile info')
      offered="$offered $(_hermes_profiles)" ;;
  esac`;

function bash(words: Words): string {
  return `# Completion of hermes for bash. Load it with: eval "$(hermes completion bash)"
${PROFILES}
${offer(words)}
_hermes() {
  local index=1 last=$COMP_CWORD at='' word offered='' previous="\${COMP_WORDS[COMP_CWORD-1]}"
${FIND_PATH.replace('$WORD', '${COMP_WORDS[index]}')}
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _hermes hermes
`;
}

function zsh(words: Words): string {
  return `#compdef hermes
# Completion of hermes for zsh. Load it with: eval "$(hermes completion zsh)"
${PROFILES}
${offer(words)}
_hermes() {
  local index=2 last=$CURRENT at='' word offered='' previous="\${words[CURRENT-1]}"
${FIND_PATH.replace('$WORD', '${words[index]}')}
  compadd -- \${(f)"$(print -l -- \${=offered})"}
  _files
}
if [ "\${funcstack[1]-}" = _hermes ]; then _hermes "$@"; elif (( $+functions[compdef] )); then compdef _hermes hermes; fi
`;
}

function fish(words: Words): string {
  const cases = [...words].map(([path, names]) => `    case '${path}'\n      string split ' ' -- '${names.join(' ')}'`);
  return `# Completion of hermes for fish. Load it with: hermes completion fish | source
function __hermes_profiles
  set -l root "$HOME/.hermes"
  set -q HERMES_HOME; and set root "$HERMES_HOME"
  echo default
  for folder in (string replace -r '/profiles/[^/]+$' '' -- $root)/profiles/*/
    path basename -- $folder
  end
end
function __hermes_offer
  switch "$argv[1]"
${cases.join('\n')}
    case '*'
      return 1
  end
end
function __hermes_complete
  set -l at ''
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    if contains -- $word -p --profile
      set skip 1
      continue
    end
    string match -q -- '-*' $word; and continue
    set -l next (string trim -- "$at $word")
    __hermes_offer $next >/dev/null; and set at $next
  end
  if test $skip = 1; or string match -qr '^profile (use|show|delete|rename|export|alias|describe|update|info)$' -- $at
    __hermes_profiles
  end
  test $skip = 1; or __hermes_offer $at
end
complete -c hermes -a '(__hermes_complete)'
`;
}
