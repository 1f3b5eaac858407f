/** Names under which somebody might try to reach what file tools keep out of, and those of everyday work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPathGuard } from '../../src/safety/paths.ts';

const paths = { homePath: '/home/ann/.hermes/profiles/work', root: '/home/ann/.hermes', userHome: '/home/ann' };
const guard = createPathGuard({ ...paths, workspace: '/home/ann/shop' });

/** Each word is a path; `~` is the directory of Ann. */
function listed(text: string): string[] {
  return text
    .trim()
    .split(/\s*\n\s*/)
    .map((path) => path.replace(/^~/, '/home/ann'));
}

const refused = listed(`
  /etc
  /etc/passwd
  /etc/passwd-
  /etc/group
  /etc/shadow
  /etc/gshadow-
  /etc/sudoers
  /etc/sudoers.d/ann
  /etc/hosts
  /etc/resolv.conf
  /etc/profile
  /etc/profile.d/x.sh
  /etc/bash.bashrc
  /etc/zsh/zshrc
  /etc/environment
  /etc/crontab
  /etc/cron.d/x
  /etc/cron.daily/x
  /etc/ld.so.preload
  /etc/ld.so.conf.d/x.conf
  /etc/pam.d/sudo
  /etc/ssh/sshd_config
  /etc/systemd/system/x.service
  /etc/init.d/x
  /etc/rc.local
  /etc/apt/sources.list.d/x.list
  /etc/ssl/certs/ca-certificates.crt
  /etc/udev/rules.d/1.rules
  /etc/gitconfig
  /etc/npmrc
  //etc//passwd
  /etc/./hosts
  /tmp/../etc/hosts
  /ETC/Hosts
  /Etc/pAsSwD
  /etc/passwd.
  /etc/passwd/
  /etc/hosts...
  /e\u200Btc/hosts
  /ｅｔｃ/hosts
  /usr/bin/git
  /usr/bin/env
  /usr/sbin/sshd
  /usr/local/bin/node
  /usr/local/sbin/x
  /usr/local/lib/libx.so
  /usr/local/share/x
  /usr/lib/systemd/system/x.service
  /usr/lib/python3/dist-packages/sitecustomize.py
  /usr/lib/x86_64-linux-gnu/libc.so.6
  /usr/lib/cron/tabs/ann
  /usr/libexec/x
  /usr/share/applications/x.desktop
  /usr/include/stdio.h
  /usr/x
  /bin/sh
  /sbin/init
  /lib/systemd/system/x.service
  /lib/x86_64-linux-gnu/libc.so.6
  /lib64/ld-linux-x86-64.so.2
  /boot/grub/grub.cfg
  /boot/vmlinuz
  /efi/boot/x.efi
  /opt/google/chrome/chrome
  /opt/homebrew/bin/git
  /nix/store/x/bin/git
  /snap/bin/x
  /var/lib/dpkg/status
  /var/lib/systemd/x
  /var/lib/docker/volumes/x
  /var/lib/cloud/scripts/per-boot/x
  /var/spool/cron/crontabs/ann
  /var/spool/at/x
  /var/at/tabs/ann
  /run/docker.sock
  /var/run/docker.sock
  /run/podman/podman.sock
  /run/containerd/containerd.sock
  /run/user/1000/docker.sock
  /run/user/1000/podman/podman.sock
  /run/user/1000/systemd/transient/x.service
  /run/systemd/system/x.service
  ~/.docker/run/docker.sock
  /mnt/host/var/run/docker.sock
  /proc/sysrq-trigger
  /proc/self/mem
  /proc/self/environ
  /proc/1/oom_score_adj
  /proc/sys/kernel/core_pattern
  /sys/kernel/uevent_helper
  /dev/sda
  /dev/nvme0n1p1
  /dev/mem
  /dev/kmsg
  /private/etc/hosts
  /private/var/db/x
  /System/Library/x
  /Library/LaunchDaemons/x.plist
  /Library/LaunchAgents/x.plist
  ~/Library/LaunchAgents/x.plist
  ~/Library/Keychains/login.keychain-db
  C:/Windows/System32/drivers/etc/hosts
  /mnt/c/Windows/System32/x.dll
  /mnt/c/Program Files/x/x.exe
  /mnt/c/Users/ann/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/x.bat
  /mnt/c/Users/ann/.ssh/config
  ~/.ssh
  ~/.ssh/authorized_keys
  ~/.ssh/id_rsa
  ~/.ssh/config
  ~/.ssh/rc
  ~/.SSH/Config
  ~/.ßh/config
  ~/.ssh./config
  ~/.ssh /config
  ~/.s\u200Csh/config
  ~/.aws/credentials
  ~/.gnupg/gpg-agent.conf
  ~/.kube/config
  ~/.azure/accessTokens.json
  ~/.config/gcloud/credentials.db
  ~/.config/gh/config.yml
  ~/.docker/config.json
  ~/.docker/cli-plugins/docker-x
  ~/.netrc
  ~/.pgpass
  ~/.npmrc
  ~/.pypirc
  ~/.git-credentials
  ~/.cargo/credentials.toml
  ~/.password-store/x.gpg
  ~/.local/share/keyrings/login.keyring
  ~/.bashrc
  ~/.BASHRC
  ~/.bash_profile
  ~/.bash_aliases
  ~/.profile
  ~/.zshrc
  ~/.zshenv
  ~/.zprofile
  ~/.kshrc
  ~/.tcshrc
  ~/.xprofile
  ~/.xinitrc
  ~/.pam_environment
  ~/.cargo/env
  ~/.oh-my-zsh/custom/x.zsh
  ~/.config/fish/config.fish
  ~/.config/fish/conf.d/x.fish
  ~/.config/fish/functions/ls.fish
  ~/.config/nushell/config.nu
  ~/.config/powershell/profile.ps1
  ~/.config/environment.d/x.conf
  ~/.config/systemd/user/x.service
  ~/.config/autostart/x.desktop
  ~/.config/plasma-workspace/env/x.sh
  ~/.local/share/systemd/user/x.service
  /home/bob/.ssh/authorized_keys
  /home/bob/.bashrc
  /home/bob/.hermes/config.yaml
  /root/.ssh/authorized_keys
  /root/.profile
  /Users/ann/.zshrc
  ~/.hermes
  ~/.hermes/config.yaml
  ~/.hermes/CONFIG.YAML
  ~/.hermes/config.yaml.
  ~/.hermes/.env
  ~/.hermes/.env.bak
  ~/.hermes/auth.json
  ~/.hermes/auth.lock
  ~/.hermes/.anthropic_oauth.json
  ~/.hermes/webhook_subscriptions.json
  ~/.hermes/auth/google_oauth.json
  ~/.hermes/cache/bws_cache.json
  ~/.hermes/cache/op_cache.json
  ~/.hermes/mcp-tokens/x.json
  ~/.hermes/pairing/x.json
  ~/.hermes/platforms/pairing/telegram-approved.json
  ~/.hermes/state.db
  ~/.hermes/state.db-wal
  ~/.hermes/sessions/x.json
  ~/.hermes/logs/agent.log
  ~/.hermes/checkpoints/store/HEAD
  ~/.hermes/hooks/x/handler.py
  ~/.hermes/plugins/x/plugin.py
  ~/.hermes/cron/jobs.json
  ~/.hermes/active_profile
  ~/.hermes/shell-hooks-allowlist.json
  ~/.hermes/profiles/work/config.yaml
  ~/.hermes/profiles/other/.env
  ~/.hermes/profiles/other/state.db
`);

const asked = listed(`
  ~/shop/.git/config
  ~/shop/.git/config.worktree
  ~/shop/.git/config.lock
  ~/shop/.git/hooks/pre-commit
  ~/shop/.git/hooks
  ~/shop/.git/HOOKS/post-checkout
  ~/shop/.GIT/config
  ~/shop/.git./config
  ~/shop/.g\u200Cit/config
  ~/shop/.gıt/config
  ~/shop/git~1/config
  ~/shop/.git
  ~/shop/.git/modules/lib/config
  ~/shop/.git/modules/lib/hooks/post-checkout
  ~/shop/.git/worktrees/x/config.worktree
  ~/shop/.git/worktrees/x/gitdir
  ~/shop/.git/info/attributes
  ~/shop/.git/rebase-merge/git-rebase-todo
  ~/shop/.git/objects/info/alternates
  ~/shop/vendor/lib/.git/config
  /srv/repositories/shop.git/hooks/post-receive
  /srv/repositories/shop.git/config
  ~/shop/.hg/hgrc
  ~/shop/.vscode/tasks.json
  ~/shop/.vscode/settings.json
  ~/shop/.vscode/mcp.json
  ~/shop/.zed/settings.json
  ~/shop/.idea/startup.xml
  ~/shop/.devcontainer/devcontainer.json
  ~/shop/.devcontainer/php/devcontainer.json
  ~/shop/.devcontainer.json
  ~/shop/.mcp.json
  ~/shop/.cursor/mcp.json
  ~/shop/.cursor/hooks.json
  ~/shop/.claude/settings.json
  ~/shop/.claude/settings.local.json
  ~/shop/.claude/hooks/x.sh
  ~/shop/.gemini/settings.json
  ~/shop/.codex/config.toml
  ~/.gitconfig
  ~/.config/git/config
  ~/.vimrc
  ~/.vim/plugin/x.vim
  ~/.config/nvim/init.lua
  ~/.emacs.d/init.el
  ~/.inputrc
  ~/.tmux.conf
  ~/.gdbinit
  ~/.Rprofile
  ~/.local/bin/git
  ~/bin/git
  ~/.cargo/bin/cargo
  ~/.cargo/config.toml
  ~/.local/lib/python3.13/site-packages/usercustomize.py
  ~/.config/pip/pip.conf
  ~/.config/i3/config
  ~/.local/share/applications/firefox.desktop
  ~/.config/Code/User/settings.json
  ~/.vscode/extensions/x/extension.js
  ~/.claude/settings.json
  ~/.claude.json
  ~/.codex/config.toml
`);

const everyday = listed(`
  ~/shop/package.json
  ~/shop/package-lock.json
  ~/shop/Makefile
  ~/shop/src/index.ts
  ~/shop/bin/shop.mjs
  ~/shop/lib/index.js
  ~/shop/lib64/x
  ~/shop/etc/nginx.conf
  ~/shop/usr/share/x
  ~/shop/opt/x
  ~/shop/.gitignore
  ~/shop/.gitattributes
  ~/shop/.gitmodules
  ~/shop/.git/info/exclude
  ~/shop/.git/COMMIT_EDITMSG
  ~/shop/.github/workflows/ci.yml
  ~/shop/.gitlab-ci.yml
  ~/shop/.husky/pre-commit
  ~/shop/.pre-commit-config.yaml
  ~/shop/.vscode/launch.json
  ~/shop/.vscode/extensions.json
  ~/shop/.editorconfig
  ~/shop/.prettierrc
  ~/shop/.npmrc
  ~/shop/.env
  ~/shop/.env.example
  ~/shop/.envrc
  ~/shop/.claude/commands/x.md
  ~/shop/.cursor/rules/x.mdc
  ~/shop/CLAUDE.md
  ~/shop/AGENTS.md
  ~/shop/config.yaml
  ~/shop/auth.json
  ~/shop/state.db
  ~/shop/sessions/x.json
  ~/shop/Dockerfile
  ~/shop/docker-compose.yml
  ~/shop/.dockerignore
  ~/shop/docker/config.json
  ~/shop/etc/passwd
  ~/shop/test/fixtures/.ssh/config
  ~/shop/home/.bashrc
  ~/shop/dotfiles/bashrc
  ~/shop/scripts/profile
  ~/shop/grüße/straße.md
  ~/shop/日本語.md
  ~/shop/a b/c d.txt
  ~/shop/x.git.md
  ~/shop/git/config
  ~/shop/legit/config
  ~/notes.md
  ~/Documents/letter.docx
  ~/Desktop/todo.txt
  ~/Downloads/x.csv
  ~/.config/myapp/config.toml
  ~/.config/kitty/kitty.conf
  ~/.cache/x
  ~/.local/share/myapp/x.db
  ~/.local/state/x
  ~/.hermes/SOUL.md
  ~/.hermes/memories/MEMORY.md
  ~/.hermes/skills/x/SKILL.md
  ~/.hermes/cache/images/x.png
  ~/.hermes/profiles/work/skills/x/SKILL.md
  ~/.bashrc.d
  ~/.sshx/a
  /tmp/x
  /tmp/etc/hosts
  /var/tmp/x
  /var/www/html/index.html
  /var/log/shop.log
  /srv/www/index.html
  /mnt/data/x.csv
  /media/ann/usb/x
  /data/x
  /workspace/x
  /app/server.js
  /run/user/1000/x.txt
  /private/tmp/x
  /private/var/folders/zz/T/x
  /Users/ann/shop/x
  /mnt/c/Users/ann/shop/x
  /dev/null
`);

test('no hostile name gets through: what the owner alone changes is refused, what runs later is asked about', () => {
  const through = [
    ...refused.filter((path) => guard.denyWrite(path) === undefined),
    ...asked.filter((path) => guard.denyWrite(path) === undefined && !guard.runsLater(path)),
  ];
  assert.deepEqual(through, []);
  assert.deepEqual(
    asked.filter((path) => guard.denyWrite(path) !== undefined),
    [],
    'a person may allow these',
  );
  assert.ok(refused.length + asked.length >= 150);
});

test('many paths judged at once are judged as each of them alone', () => {
  const projects = ['/home/ann/shop/.env', '/home/ann/shop/a/.ENV', '/home/ann/shop/.env.local', '/proc/self/environ'];
  const all = [...refused, ...asked, ...everyday, ...projects, '/x', 'relative', '/home/ann/.ssh/id_rsa.pub'];
  const alone = all.filter((path) => guard.denyRead(path) === undefined);
  assert.deepEqual([...guard.readable(all)], alone);
  assert.deepEqual([...guard.readableNames(all)], alone);
  assert.ok(alone.length < all.length);
});

test('no everyday name is refused or asked about', () => {
  const stopped = everyday.filter((path) => guard.denyWrite(path) !== undefined || guard.runsLater(path));
  assert.deepEqual(stopped, []);
  assert.ok(everyday.length >= 60);
});

test('work in the middle of packaged software is free where the session began there, and nothing around it', () => {
  const free: readonly (readonly [string, string])[] = [
    ['/opt/shop', '/opt/shop/lib/x.js'],
    ['/usr/src/app', '/usr/src/app/bin/x'],
    ['/usr/local/src/x', '/usr/local/src/x/etc/y'],
    ['/var/lib/hermes', '/var/lib/hermes/notes.md'],
  ];
  for (const [workspace, path] of free) {
    const there = createPathGuard({ ...paths, workspace });
    assert.equal(there.denyWrite(path), undefined, path);
    for (const other of ['/opt/other/x', '/usr/src/other', '/var/lib/dpkg/status', '/usr/bin/x', '/etc/hosts'])
      assert.ok(there.denyWrite(other), `${workspace}: ${other}`);
  }
  for (const workspace of [
    '/',
    '/usr',
    '/usr/local',
    '/usr/bin',
    '/usr/local/bin',
    '/opt',
    '/usr/lib/node',
    '/etc/nginx',
  ])
    for (const path of [`${workspace}/x`, '/usr/local/bin/x', '/etc/nginx/x'])
      if (path !== '//x') assert.ok(createPathGuard({ ...paths, workspace }).denyWrite(path), `${workspace}: ${path}`);
});

test('the home of a service among packaged software is still a home', () => {
  const service = createPathGuard({
    homePath: '/opt/data',
    root: '/opt/data',
    userHome: '/var/lib/hermes',
  });
  assert.equal(service.denyWrite('/opt/data/skills/x/SKILL.md'), undefined);
  assert.equal(service.denyWrite('/var/lib/hermes/notes.md'), undefined);
  for (const path of ['/opt/data/config.yaml', '/opt/data/.env', '/var/lib/hermes/.ssh/config', '/opt/x', '/var/lib/x'])
    assert.ok(service.denyWrite(path), path);
});
