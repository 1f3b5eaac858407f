/** Where people keep what no command needs to see unless they say so: keys, logins, browsers, chats, other people's sockets. */

/** Relative to a person's own directory. */
export const privateInHome: readonly string[] = [
  // Keys and logins of the system.
  ...words(`.ssh .gnupg .pki .password-store .local/share/keyrings .local/share/gopass .config/gopass .authinfo
    .authinfo.gpg .netrc _netrc .git-credentials .config/git/credentials .Xauthority .config/sops .config/age .age
    .krb5 .config/op .op .config/Bitwarden .config/1Password .1password .config/keepassxc .local/share/kwalletd
    .kde/share/apps/kwallet`),
  // Clouds, clusters and servers.
  ...words(`.aws .azure .kube .docker .config/gcloud .config/gh .config/hub .config/glab-cli .oci .config/doctl
    .config/hcloud .config/scw .config/flyctl .fly .config/heroku .heroku .config/configstore .config/firebase
    .config/netlify .netlify .vercel .config/vercel .now .local/share/com.vercel.cli .railway .config/railway
    .config/wrangler .wrangler .cloudflared .terraform.d .terraformrc .pulumi .vault-token .config/helm
    .config/argocd .config/linode-cli .aliyun .tccli .bluemix .config/rclone .rclone.conf .s3cfg .boto
    .config/containers .local/share/containers .colima .lima .orbstack .rd .minikube .config/supabase .supabase
    .modal.toml .config/modal .daytona .config/daytona .config/tailscale .ngrok2 .config/ngrok`),
  // Package registries and databases.
  ...words(`.npmrc .yarnrc .yarnrc.yml .pypirc .config/pypoetry/auth.toml .gem/credentials .bundle/config .cargo/credentials
    .cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .nuget/NuGet
    .config/NuGet .composer/auth.json .config/composer/auth.json .conda/aau_token .condarc .pgpass .my.cnf
    .mylogin.cnf .mongorc.js .dbshell .rediscli_auth .cache/huggingface/token .cache/huggingface/stored_tokens
    .huggingface .kaggle .config/wandb`),
  // Agents and models.
  ...words(`.claude .claude.json .codex .gemini .config/opencode .local/share/opencode .openclaw .config/github-copilot
    .continue .cursor .aider.conf.yml .config/goose .qwen .config/openai .config/anthropic .config/io.datasette.llm
    .ollama/id_ed25519 .mcp-auth`),
  // Browsers, mail and chats.
  ...words(`.mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/vivaldi
    .config/microsoft-edge .config/opera .librewolf .zen .cache/mozilla .cache/google-chrome .cache/chromium
    .cache/BraveSoftware .config/Signal .config/discord .config/Slack .config/Element .local/share/TelegramDesktop
    .local/share/evolution .config/evolution .config/geary .mutt .muttrc .config/neomutt .msmtprc .config/msmtp
    .mbsyncrc .offlineimaprc .purple .var/app snap .config/Code/User/globalStorage .config/Cursor Library/Keychains
    Library/Cookies Library/Mail Library/Messages Library/Safari Library/Containers Library/HTTPStorages
    Library/Accounts`),
  // What was typed.
  ...words(`.bash_history .zsh_history .history .python_history .node_repl_history .psql_history .lesshst .mysql_history
    .sqlite_history .irb_history .local/share/fish/fish_history .config/fish/fish_history .viminfo
    .local/share/recently-used.xbel`),
  '.config/Bitwarden CLI',
  'Library/Group Containers',
  'Library/Application Support/Google',
  'Library/Application Support/Firefox',
  'Library/Application Support/BraveSoftware',
  'Library/Application Support/Microsoft Edge',
  'Library/Application Support/Slack',
  'Library/Application Support/discord',
  'Library/Application Support/Signal',
];

/** Of the whole machine. */
export const privateOnMachine: readonly string[] = [
  ...words(`/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssl/private
    /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key /etc/ssh/ssh_host_dsa_key
    /etc/wireguard /etc/openvpn /etc/NetworkManager/system-connections /etc/kubernetes /etc/rancher /etc/letsencrypt
    /etc/krb5.keytab /etc/wpa_supplicant /etc/ppp /var/lib/docker /var/lib/containerd /var/lib/containers
    /var/lib/kubelet /var/lib/rancher /var/lib/mysql /var/lib/postgresql /var/lib/redis /var/lib/mongodb
    /var/lib/libvirt /var/lib/lxd /var/lib/incus /var/lib/NetworkManager /var/lib/tailscale /var/lib/sss
    /var/lib/systemd/credential /var/lib/cloud /var/spool/cron /var/spool/mail /var/mail /var/backups /var/snap
    /etc/credstore /etc/credstore.encrypted /boot /root/.ssh /var/root`),
];

/** Files of a project that its tools run without being called by name: changing them is changing what a person runs. */
export const startedByTools: readonly string[] = [
  ...words(`.envrc .direnv .vscode .idea .mcp.json .claude .codex .gemini .cursor .husky .githooks .hooks .lefthook
    lefthook.yml .pre-commit-config.yaml .autoenv .mise.toml mise.toml .tool-versions .devcontainer .zed .nvim.lua
    .nvimrc .exrc .vimrc .dir-locals.el .gitmodules .opencode opencode.json .hermes .aider.conf.yml`),
];

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}
