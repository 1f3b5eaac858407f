/** Programs that talk to other machines: whom they talk to, and what they give. */
import type { SimpleCommand } from '../commands/simple-command.ts';
import { describe } from './describe.ts';
import { asks, type ProgramFindingKey } from './findings.ts';
import { hostContact } from './hosts.ts';
import type { Contact, KnownCall, Program } from './known.ts';
import type { Arguments } from './options.ts';

const remote = 'copies files to or from another machine';
const service = 'changes a remote service';

export const network: readonly Program[] = [
  describe('curl', {
    // Left out: -K reads options, --resolve, --connect-to and --unix-socket lead elsewhere, -n and -E use keys, -J lets the
    // server name the file, -x sends everything through another machine.
    plain:
      '-#0123456789fgGiIjkLNqsSvZ -A= -C= -H= -X= -b= -e= -m= -r= -u= -w= -y= -Y= -z= --silent --show-error --fail --fail-with-body --location --location-trusted --head --include --insecure --verbose --compressed --globoff --get --http1.1 --http2 --http2-prior-knowledge --tlsv1.2 --tlsv1.3 --ipv4 --ipv6 --no-buffer --progress-bar --no-progress-meter --header= --request= --user-agent= --referer= --user= --cookie= --max-time= --connect-timeout= --retry= --retry-delay= --retry-max-time= --retry-all-errors --retry-connrefused --max-redirs= --range= --write-out= --limit-rate= --max-filesize= --create-dirs --parallel --proto= --proto-default= --url-query= --oauth2-bearer= --basic --digest --anyauth --path-as-is --styled-output --no-styled-output --no-keepalive --keepalive-time= --speed-time= --speed-limit= --continue-at= --time-cond= --next --version --disable --remote-name-all -O --remote-name',
    writes:
      '-o= -c= -D= --output= --cookie-jar= --dump-header= --trace= --trace-ascii= --stderr= --output-dir= --etag-save= --hsts= --alt-svc=',
    sends:
      '-d= -F= -T= --data= --data-raw= --data-binary= --data-ascii= --data-urlencode= --json= --form= --form-string= --upload-file=',
    contacts: '--url=',
    operands: 'hosts',
    check: knowCurl,
  }),
  describe('wget', {
    // Left out: -e runs a line of settings, -i reads addresses, --use-askpass runs a program.
    plain:
      '-qcNSvndv46 -T= -t= -U= -w= --quiet --no-verbose --continue --timeout= --tries= --user-agent= --header= --no-check-certificate --spider --server-response --show-progress --progress= --no-clobber --timestamping --content-on-error --max-redirect= --compression= --retry-connrefused --waitretry= --method= --referer= --no-cookies --no-cache --https-only --version --limit-rate= --no-hsts',
    writes: '-O= -P= -o= -a= --output-document= --directory-prefix= --output-file= --append-output= --save-cookies=',
    sends: '--post-data= --post-file= --body-data= --body-file=',
    operands: 'hosts',
    check: knowWget,
  }),
  describe('http https httpie xh', {
    plain:
      '-bhvqjdF -A= -p= --body --headers --verbose --json --form --follow --check-status --timeout= --pretty= --print= --ignore-stdin --download --style= --version',
    writes: '-o= --output=',
    check: knowHttpie,
  }),
  { names: ['ssh', 'mosh', 'rsh', 'sshpass', 'autossh', 'plink'], know: knowSsh },
  describe('scp sftp pscp', {
    plain: '-34BCpqrTv -P= -l= -c= -i= -o= -F= -S= -J= -b= -D=',
    ask: remote,
    check: (known, { operands }) => {
      const place = operands.find(({ text }) => /^[^/]*:/.test(text));
      return place === undefined ? known : { ...known, contacts: [hostContact(place.text, 'data')] };
    },
  }),
  describe('rsync', {
    // Left out: -e and --rsync-path run programs, --config and --daemon serve, -M passes options on.
    plain:
      '-aAbcCDdEghHiIklLmnNoOpPqrRsStuvWxXyzU0 -f= -B= --archive --verbose --recursive --dry-run --exclude= --include= --exclude-from= --include-from= --files-from= --from0 --progress --partial --stats --human-readable --itemize-changes --checksum --update --compress --links --perms --times --no-perms --no-owner --no-group --existing --ignore-existing --size-only --delete --delete-after --delete-before --delete-during --delete-delay --delete-excluded --prune-empty-dirs --relative --one-file-system --max-size= --min-size= --bwlimit= --timeout= --inplace --append --copy-links --safe-links --chmod= --mkpath --info= --out-format= --quiet --whole-file --numeric-ids --hard-links --executability',
    writes: '-T= --log-file= --partial-dir= --temp-dir= --backup-dir= --write-batch=',
    asks: { 'destroys data': '--remove-source-files' },
    operands: 'last written',
    check: knowRsync,
  }),
  describe('nc ncat netcat', {
    plain: '-46nuvzNt -w= -q= -i= -G=',
    asks: { 'opens a connection for others': '-lkLecU --listen --exec= --sh-exec= --lua-exec= --keep-open --broker' },
    check: (known, { operands, given }) => {
      const [host, port] = operands;
      if (host === undefined) return known.findings.length > 0 ? known : undefined;
      const tries = given.some(({ option }) => option.name === '-z');
      return { ...known, contacts: [hostContact(`${host.text}:${port?.text ?? ''}`, tries ? 'request' : 'data')] };
    },
  }),
  describe('telnet', {
    plain: '-46E -e= -l=',
    check: (known, { operands }) => {
      const [host, port] = operands;
      if (host === undefined) return undefined;
      return { ...known, contacts: [hostContact(`${host.text}:${port?.text ?? ''}`, 'data')] };
    },
  }),
  describe('socat ngrok localtunnel lt cloudflared bore frpc tailscale chisel nmap masscan tcpdump tshark wireshark', {
    ask: 'opens a connection for others',
    plain: '--version -V -h --help',
    check: (known, { operands, given }) =>
      operands.length === 0 && given.length > 0 ? { ...known, findings: [] } : known,
  }),
  describe('ftp lftp ncftp tftp smbclient', { ask: remote }),
  describe('mail mailx sendmail mutt msmtp swaks', { ask: service }),
];

function knowCurl(known: KnownCall, args: Arguments, call: SimpleCommand): KnownCall | undefined {
  const values = new Map<string, string[]>();
  for (const { option, value } of args.given) {
    values.set(option.name, [...(values.get(option.name) ?? []), value ?? '']);
  }
  const of = (...names: string[]): string[] => names.flatMap((name) => values.get(name) ?? []);
  // A format may name a file that is written, and headers may come from one.
  if (of('-w', '--write-out').some((text) => /%output|^@/.test(text))) return undefined;
  const method = of('-X', '--request').at(-1)?.toUpperCase();
  const cookies = of('-b', '--cookie').length > 0;
  const files = of('-H', '--header').some((text) => text.startsWith('@'));
  const gives = cookies || files || of('-u', '--user', '--oauth2-bearer', '--url-query').length > 0;
  const contacts = withoutFiles(known.contacts, call, gives || isChange(method) ? 'data' : undefined);
  if (contacts === undefined) return undefined;
  const named = of('-O', '--remote-name', '--remote-name-all').length > 0;
  const names = named ? args.operands.map(({ text }) => nameInAddress(text)) : [];
  const told = { ...known, contacts, writes: [...known.writes, ...names] };
  return method === 'DELETE' && contacts.some(isFar) ? asking(told, service) : told;
}

/** `file:` talks to nobody; other schemes than these are not known. */
function withoutFiles(
  contacts: readonly Contact[],
  { args }: SimpleCommand,
  sends: 'data' | undefined,
): readonly Contact[] | undefined {
  const schemes = args.map(({ text }) => /^([a-z][a-z\d+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase());
  const given = schemes.filter((scheme) => scheme !== undefined);
  if (given.some((scheme) => !/^(?:https?|wss?|ftps?|file)$/.test(scheme))) return undefined;
  if (given.length > 0 && given.every((scheme) => scheme === 'file')) return [];
  return sends === undefined ? contacts : contacts.map((contact) => ({ ...contact, sends }));
}

function isChange(method: string | undefined): boolean {
  return method !== undefined && !/^(?:GET|HEAD|OPTIONS)$/.test(method);
}

function isFar({ host }: Contact): boolean {
  return host === undefined || !/^(?:localhost|127\.[\d.]+|::1|0\.0\.0\.0|.*\.localhost)$/.test(host);
}

function nameInAddress(text: string): string {
  return text.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
}

function knowWget(known: KnownCall, { operands, given }: Arguments): KnownCall {
  const named = given.some(({ option }) => /^(?:-O|--output-document|--spider)$/.test(option.name));
  const folder = given.find(({ option }) => /^(?:-P|--directory-prefix)$/.test(option.name))?.value;
  const method = given.find(({ option }) => option.name === '--method')?.value?.toUpperCase();
  const names = named || folder !== undefined ? [] : operands.map(({ text }) => nameInAddress(text) || 'index.html');
  const contacts = isChange(method)
    ? known.contacts.map(({ host }) => ({ host, sends: 'data' as const }))
    : known.contacts;
  const told = { ...known, contacts, writes: [...known.writes, ...names] };
  return method === 'DELETE' && contacts.some(isFar) ? asking(told, service) : told;
}

function knowHttpie(known: KnownCall, { operands }: Arguments): KnownCall | undefined {
  const texts = operands.map(({ text }) => text);
  const method = /^[A-Z]+$/.test(texts[0] ?? '') ? texts.shift() : undefined;
  const [address, ...items] = texts;
  if (address === undefined) return undefined;
  const gives = isChange(method) || items.some((text) => !text.includes('=='));
  const contact = hostContact(address.replace(/^:(?=\d|\/|$)/, 'localhost:'), gives ? 'data' : 'request');
  const told = { ...known, contacts: [contact] };
  return method === 'DELETE' && isFar(contact) ? asking(told, service) : told;
}

/** What runs over there no sandbox contains; the greeting of a code host is only looked at. */
function knowSsh(call: SimpleCommand): KnownCall {
  const texts = call.args.map(({ text }) => text);
  const none: KnownCall = { place: 'outside', writes: [], contacts: [], findings: [] };
  if (texts.length === 1 && /^-[VG]$/.test(texts[0] ?? '')) return none;
  const greeting =
    texts.length === 2 && texts[0] === '-T' && /^git@(?:github\.com|gitlab\.com|bitbucket\.org)$/.test(texts[1] ?? '');
  if (greeting) return { ...none, contacts: [hostContact(texts[1] ?? '', 'request')] };
  const host = texts.find(
    (text, index) => !text.startsWith('-') && !/^-[BbcDEeFIiJLlmOopQRSWw]$/.test(texts[index - 1] ?? ''),
  );
  const contacts = host === undefined ? [] : [hostContact(host, 'data')];
  const findings = [asks('runs commands on another machine')];
  // Behind a login nothing tells any more that an agent is at work.
  const here = contacts.some(
    (contact) => !isFar(contact) || !/^(?!0x)(?:[\d.]*[a-z_-]|\d+(?:\.\d+){3}$)/.test(contact.host ?? ''),
  );
  return {
    ...none,
    contacts,
    findings: here ? [...findings, asks('starts something outside of the session')] : findings,
  };
}

/** Within this machine it is a copy; what it deletes there can be seen, and is contained. */
function knowRsync(known: KnownCall, { operands, given }: Arguments): KnownCall {
  const lists = given.filter(({ option }) => option.name === '--files-from').map(({ value }) => value ?? '');
  const far = [...operands.map(({ text }) => text), ...lists].find((text) => /^[^/]*:/.test(text));
  if (far !== undefined) {
    return { ...asking(known, remote), contacts: [hostContact(far, 'data')] };
  }
  const deletes = given.some(({ option }) => option.name.startsWith('--delete'));
  const whole = /^\.{0,2}\/?$/.test(operands.at(-1)?.text ?? '');
  if (deletes && whole) return asking(known, 'recursive delete');
  return deletes ? { ...known, place: known.findings.length > 0 ? 'outside' : 'sandbox' } : known;
}

function asking(known: KnownCall, key: ProgramFindingKey): KnownCall {
  return { ...known, place: 'outside', findings: [...known.findings, asks(key)] };
}
