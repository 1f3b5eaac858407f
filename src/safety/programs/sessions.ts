/** Programs that go on outside of the command: terminals, desktops, agents for keys, other agents. */
import { all, describe } from './describe.ts';
import { asks } from './findings.ts';
import type { SimpleCommand } from '../commands/simple-command.ts';
import type { KnownCall, Program } from './known.ts';
import type { Arguments } from './options.ts';

const session = 'starts something outside of the session';
const desktop = 'opens something on the desktop';
const keys = 'uses private keys';
const login = 'changes accounts or logins';
const service = 'changes a remote service';

export const sessions: readonly Program[] = [
  // Left out of the looking ones: -f reads commands, -F holds shell text in formats.
  describe('tmux', {
    plain: '-V -L= -S=',
    bare: 'unknown',
    otherwise: session,
    commands: all('ls list-sessions list-windows list-panes lsw lsp has-session has info', {
      place: 'outside',
      plain: '-as -t=',
    }),
  }),
  describe('screen zellij dtach abduco byobu', {
    ask: session,
    plain: '-v --version -ls -list',
    check: (known, _args, { args }) =>
      args.length === 1 && /^-(?:ls|list|v|-version)$/.test(args[0]?.text ?? '')
        ? { ...known, place: 'outside', findings: [] }
        : known,
  }),
  describe(
    'open xdg-open gio-open gnome-open kde-open start osascript xdotool ydotool wmctrl automator shortcuts say notify-send explorer.exe cmd.exe powershell.exe',
    { ask: desktop },
  ),
  // Each hands a command to a process that was there before, or to one that the system starts.
  describe(
    'emacsclient kitty kitten wezterm alacritty gnome-terminal xterm konsole x-terminal-emulator foot tilix terminator xfce4-terminal urxvt qdbus qdbus6 gtk-launch dex kstart kstart5 flatpak-spawn distrobox distrobox-enter toolbox daemonize start-stop-daemon udevadm pdsh dsh clush pssh parallel-ssh',
    {
      ask: session,
      plain: '--version -V --help',
      check: (known, { operands, given }) =>
        operands.length === 0 && given.length > 0 ? { ...known, findings: [] } : known,
    },
  ),
  describe('pbcopy xclip xsel wl-copy clip clip.exe', { place: 'outside', ask: desktop }),
  describe('pbpaste wl-paste', { place: 'outside' }),
  describe(
    'ssh-add ssh-agent ssh-copy-id gpg-agent gpgconf keychain secret-tool security pass op bw bws age-keygen kinit',
    {
      ask: keys,
      plain: '-lLV --version',
      check: (known, { operands, given }) =>
        operands.length === 0 && given.length > 0 ? { ...known, place: 'outside', findings: [] } : known,
    },
  ),
  describe('ssh-keygen', {
    plain: '-lBvqeiy -f= -E= -t= -b= -C= -N= -R= -F=',
    check: (known, { given }, { args }) => {
      const shows = args.some(({ text }) => /^-[lBF]/.test(text));
      const file = given.find(({ option }) => option.name === '-f')?.value;
      if (shows) return known;
      return file === undefined
        ? { ...known, place: 'outside', findings: [asks(keys)] }
        : { ...known, writes: [file, `${file}.pub`] };
    },
  }),
  describe('ssh-keyscan', { plain: '-4H6v -p= -t= -T=', operands: 'hosts' }),
  describe('gpg gpg2', {
    plain:
      '-kKv --list-keys --list-secret-keys --list-public-keys --verify --fingerprint --version --with-colons --keyid-format= --show-keys',
    ask: keys,
    check: (known, { given }) =>
      given.some(({ option }) => /^(?:-[kK]|--(?:list-.*|verify|fingerprint|version|show-keys))$/.test(option.name))
        ? { ...known, place: 'outside', findings: [] }
        : known,
  }),
  describe('claude codex gemini opencode qwen aider cursor-agent goose crush amp llm pi openclaw', {
    ask: session,
    plain: '--version -v -V --help',
    check: (known, { operands, given }) =>
      operands.length === 0 && given.length > 0 ? { ...known, findings: [] } : known,
  }),
  describe('gh', {
    place: 'outside',
    plain: '--version -R= --repo=',
    otherwise: service,
    commands: {
      ...all('pr issue release run workflow repo label milestone ruleset cache gist org project', {
        place: 'outside',
        plain: '-R= --repo=',
        otherwise: service,
        commands: {
          ...all('list ls view diff checks status watch', {
            place: 'outside',
            host: 'api.github.com',
            plain:
              '-acqv -R= -L= -s= -l= -A= -S= -B= -H= -q= -t= -b= -u= -j= -e= -r= --repo= --limit= --state= --label= --author= --assignee= --search= --json= --jq= --template= --comments --log --log-failed --job= --branch= --workflow= --base= --head= --name-only --patch --color= --watch --exit-status --required --interval= --status= --event= --user= --language= --visibility= --source --fork --archived',
          }),
          ...all('clone download', {
            place: 'outside',
            host: 'api.github.com',
            plain: '-R= -n= -p= --repo= --name= --pattern= --branch=',
            writes: '-D= --dir=',
            check: downloaded,
          }),
        },
      }),
      // What the person's work is for: a request to look at it, under their name.
      search: {
        place: 'outside',
        otherwise: service,
        commands: all('issues prs repos code commits', {
          place: 'outside',
          host: 'api.github.com',
          plain:
            '-L= --limit= --json= --jq= --repo= --owner= --state= --author= --language= --label= --sort= --match= --filename= --extension=',
        }),
      },
      status: { place: 'outside', host: 'api.github.com', plain: '-o= -e= --org=' },
      auth: {
        ask: login,
        otherwise: login,
        commands: { status: { place: 'outside', plain: '-h= --hostname= -a --active', host: 'api.github.com' } },
      },
      api: {
        place: 'outside',
        host: 'api.github.com',
        plain:
          '-i -X= -H= -q= -t= -p= --method= --header= --jq= --template= --paginate --slurp --include --silent --preview= --cache=',
        asks: { [service]: '-f= -F= --field= --raw-field= --input= --hostname=' },
        check: (known, { given, operands }) => {
          const method = given
            .find(({ option }) => option.name === '-X' || option.name === '--method')
            ?.value?.toUpperCase();
          const graph = operands.some(({ text }) => text.includes('graphql') || text.includes('://'));
          return (method === undefined || method === 'GET') && !graph ? known : { ...known, findings: [asks(service)] };
        },
      },
      config: {
        ask: 'changes settings for all projects',
        otherwise: 'changes settings for all projects',
        commands: all('get list', { place: 'outside' }),
      },
      browse: { ask: desktop },
      help: { place: 'outside' },
      ...all('alias extension secret variable ssh-key gpg-key codespace attestation copilot', {
        otherwise: service,
        commands: { list: { place: 'outside', host: 'api.github.com' } },
      }),
    },
  }),
  describe('glab hub tea', {
    place: 'outside',
    plain: '--version -R= --repo=',
    otherwise: service,
    commands: all('mr issue ci repo release pr pipeline', {
      place: 'outside',
      otherwise: service,
      commands: all('list ls view diff status show', {
        place: 'outside',
        plain: '-ac -R= --repo= --all --closed --merged --author= --per-page=',
      }),
    }),
  }),
];

/** What stands behind `--` are options for git. */
function downloaded(known: KnownCall, { operands }: Arguments, { args }: SimpleCommand): KnownCall | undefined {
  if (args.some(({ text }) => text === '--')) return undefined;
  const folder = operands[1]?.text ?? operands[0]?.text.split('/').at(-1) ?? '.';
  return { ...known, writes: known.writes.length === 0 ? [folder] : known.writes };
}
