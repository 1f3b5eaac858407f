/** Variables by whether they change what a program means: which one is found, what it loads, what it runs in turn. */

/** Shown things only: languages, colours, sizes, and what programs say of themselves. */
const plain =
  /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|TERM|COLORTERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|DEBIAN_FRONTEND|NODE_ENV|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|PYTHONUTF8|DEBUG|VERBOSE|LOG_LEVEL|RUST_LOG|PORT|HOST_PORT)$/;

const deciding = new RegExp(
  [
    '^(?:LD_|DYLD_|BASH|GIT_|PYTHON|NODE|NPM_|npm_|YARN_|PNPM_|BUN_|DENO_|PERL|RUBY|GEM_|BUNDLE_|LUA_|PHP|LESS|MAN|SSH|GPG|',
    'RSYNC_|TAR_|GREP_|RIPGREP|FZF|JQ_|AWK|UNZIP|ZIP|GZIP|XZ_|BZIP|ZSTD|CARGO|RUST|GO|JAVA|JDK_|_JAVA|MAVEN|GRADLE|MAKE|CMAKE|',
    'CC$|CXX$|CPP$|LD$|AR$|AWS_|AZURE_|GOOGLE_|CLOUDSDK|KUBE|HELM|TF_|TERRAFORM|PULUMI|ANSIBLE|DOCKER|COMPOSE_|BUILDKIT|PODMAN|',
    'CONTAINER|GH_|GITHUB_|GITLAB|PG|MYSQL|REDIS|MONGO|DATABASE_|CURL|WGET|SSL_|OPENSSL|REQUESTS_|UV_|PIP_|POETRY|VIRTUAL_ENV|',
    'CONDA|HERMES|HOME$|XDG_|TMPDIR$|TEMP$|TMP$|PATH$|ENV$|IFS$|PS[0-4]$|CDPATH$|FPATH$|ZDOTDIR$|SHELL|PAGER$|EDITOR$|VISUAL$|',
    'BROWSER$|USER$|LOGNAME$|PWD$|OLDPWD$|OPTIND$|HIST|INPUTRC$|MAIL|EXECIGNORE$|GLOBIGNORE$|POSIXLY|DISPLAY$|WAYLAND|DBUS_|',
    'LOCPATH$|NLSPATH$|GCONV_PATH$|MALLOC_|RES_|HOSTALIASES$|TERMINFO|GLIBC_|QT_|GTK_|SYSTEMD|SUDO|FCEDIT$|PROMPT|COMP_|MSF_)',
    '|(?:PATH|_OPTIONS|_OPTS|OPTS|FLAGS|_ARGS|_CONFIG|_CONF|_CONFIG_FILE|RC|_HOME|_RSH|PAGER|EDITOR|BROWSER|ASKPASS|_COMMAND|_CMD|',
    '_EXEC|_WRAPPER|_LAUNCHER|_PROXY|PRELOAD|_PLUGINS?|_HOOKS?|_SHELL|_DIR|_PREFIX|_ROOT|_TOKEN|_URL|_ENDPOINT|_REGISTRY)$',
  ].join(''),
);
const proxy = /^(?:https?|ftp|all|no|rsync)_proxy$/i;

/** True for a variable that later commands may not find changed: `PATH`, `BASH_ENV`, `GIT_DIR`, `NODE_OPTIONS`, `PAGER` … */
export function changesMeaning(name: string): boolean {
  return !plain.test(name) && (deciding.test(name) || proxy.test(name));
}

/** True when the variable may stand in front of a program whose effects are known, and they stay known. */
export function isPlainVariable(name: string): boolean {
  return plain.test(name);
}
