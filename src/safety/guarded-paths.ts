/** The places that file tools keep out of, by name: what holds credentials, what runs later, what the machine is made of. */

/** Neither read nor written. Here as below: relative to a person's directory when it does not start with `/`. */
export const credentialPaths: readonly string[] = [
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.azure',
  '.config/gcloud',
  '.config/gh/hosts.yml',
  '.config/git/credentials',
  '.config/hub',
  '.config/glab-cli',
  '.config/op',
  '.config/rclone',
  '.docker/config.json',
  '.netrc',
  '_netrc',
  '.pgpass',
  '.my.cnf',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.modal.toml',
  '.vault-token',
  '.password-store',
  '.terraform.d/credentials.tfrc.json',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.local/share/keyrings',
  'library/keychains',
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
];

/** Readable, but a write runs code with the next login, gives rights or changes accounts: only the owner does that. */
export const writeProtectedPaths: readonly string[] = [
  ...'.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout'.split(
    ' ',
  ),
  ...'.kshrc .mkshrc .cshrc .tcshrc .login .logout .xprofile .xinitrc .xsession .xsessionrc .pam_environment'.split(
    ' ',
  ),
  '.cargo/env',
  '.oh-my-zsh',
  '.config/fish',
  '.config/nushell',
  '.config/powershell',
  'documents/powershell',
  'documents/windowspowershell',
  '.config/environment.d',
  '.config/systemd',
  '.local/share/systemd',
  '.local/share/dbus-1',
  '.config/autostart',
  '.config/plasma-workspace',
  '.config/gh',
  '.docker',
  'library/launchagents',
  'library/launchdaemons',
  'appdata/roaming/microsoft/windows/start menu/programs/startup',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/systemd',
  '/etc/passwd',
  '/etc/group',
  '/etc/crontab',
  '/etc/cron.d',
  '/etc/profile.d',
  '/etc/ld.so.preload',
  '/var/spool/cron',
  '/var/spool/at',
  '/var/at',
  '/var/cron',
  '/proc',
  '/sys',
];

/** What the whole machine runs by. Nobody's work lies here. */
export const systemPaths: readonly string[] = [
  '/etc',
  '/boot',
  '/efi',
  '/run',
  '/usr/lib/systemd',
  '/lib/systemd',
  '/private/etc',
  '/system',
  '/library/launchagents',
  '/library/launchdaemons',
  '/library/startupitems',
  '/library/scripts',
];

/** What a package manager put there and looks after. Somebody's work may lie in the middle of it (`/opt/shop`, `/usr/src/app`). */
export const packagedPaths: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt',
  '/var/lib',
  '/nix',
  '/gnu',
  '/snap',
];

/** Not a place of work in what is packaged: folders of programs and libraries, and those that only hold others. */
export const packagedOnly =
  /(?<!^\/var)\/(?:s?bin|lib(?:32|64|x32|exec)?|include|etc|games)(?:\/|$)|^\/(?:usr|usr\/local|opt\/homebrew|opt\/local)(?:\/(?:src|share|var))?$/;

/** The folder of a person: theirs, and also those of others when we may write there. */
export const personalFolder =
  /^(?:(?:\/home|(?:\/mnt\/[a-z]|\/[a-z]|[a-z]:)?\/users)\/[^/]+|(?:\/private)?(?:\/var)?\/root)(?=\/)/;

/** Places for a person's own short-lived files inside of what is otherwise the machine's. */
export const freeInSystem = /^\/run\/(?:user\/[^/]+\/(?!systemd(?:\/|$)|dbus)|lock\/|shm\/)/;

/** More of the machine, wherever it is mounted. On macOS all that changes lies below `/private/var`, temporary files too. */
export const systemPatterns: readonly RegExp[] = [
  /^\/private\/var\/(?!folders\/|tmp\/)/,
  /^(?:[a-z]:|\/mnt\/[a-z]|\/[a-z])\/(?:windows|program files(?: \(x86\))?|programdata)(?:\/|$)/,
  // Whoever may talk to these owns the machine.
  /\/(?:docker|podman|containerd|crio|cri-dockerd|buildkitd|libpod|lxd|incus)(?:\/[^/]*)?\.sock(?:et)?$/,
];

/**
 * Files that make a program run something by itself the next time a person works there, or that give another agent
 * its rights. Not among them: what runs when a person starts it (`package.json`, `Makefile`, `.vscode/launch.json`),
 * what travels with the project and is seen in its review (`.husky`, workflows), and files whose reader asks for
 * trust itself (`.envrc`).
 */
export const laterPatterns: readonly RegExp[] = [
  // Of a repository all but what git only takes texts and names from. A file `.git` says where the repository is.
  /\/(?:\.git|git~\d)(?!\/(?:info\/(?:exclude|sparse-checkout)|commit_editmsg|merge_msg|squash_msg|tag_editmsg|description)$)(?:\/|$)/,
  /\/[^/]+\.git\/(?:config|hooks|modules|worktrees)(?:[./]|$)/,
  /\/(?:\.hg\/hgrc|\.jj\/repo\/config\.toml|\.svn\/hooks\/.*)$/,
  /\/\.vscode\/(?:settings|tasks|mcp)\.json$/,
  /\/\.zed\/(?:settings|tasks)\.json$/,
  /\/\.idea\/(?:startup|externaltools)\.xml$/,
  /\/\.devcontainer(?:\/(?:[^/]+\/)?devcontainer)?\.json$/,
  /\/\.hermes\/plugins(?:\/|$)/,
  /\/\.mcp\.json$|\/\.cursor\/(?:mcp|hooks)\.json$/,
  /\/\.(?:claude|gemini|qwen)\/(?:settings(?:\.local)?\.json$|hooks(?:\/|$))|\/\.codex\/config\.toml$/,
];

/** The same in a person's own directory: programs on their path, and what editors and tools start with. */
export const laterPaths: readonly string[] = [
  ...'bin .local/bin .local/lib .cargo/bin .cargo/config .cargo/config.toml go/bin .npm-global .yarnrc .yarnrc.yml'.split(
    ' ',
  ),
  ...'.gitconfig .config/git .hgrc .inputrc .tmux.conf .config/tmux .screenrc .direnvrc .config/direnv'.split(' '),
  ...'.vimrc .gvimrc .exrc .vim .config/nvim .config/vim .emacs .emacs.el .emacs.d .config/emacs .config/doom'.split(
    ' ',
  ),
  ...'.gdbinit .lldbinit .config/gdb .pythonrc .pythonrc.py .irbrc .pryrc .rprofile .psqlrc .sqliterc'.split(' '),
  ...'.pip .config/pip .config/i3 .config/sway .config/hypr .config/mise .local/share/applications'.split(' '),
  ...'.config/code/user .config/cursor/user .vscode/extensions .vscode-server .cursor/extensions .claude.json'.split(
    ' ',
  ),
  'library/application support/code/user',
  'library/application support/cursor/user',
];
