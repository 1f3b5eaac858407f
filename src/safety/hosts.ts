/** Hosts: those that a text names, those where packages come from, and how one is written. */

/** A host, and the port where one is given; in small letters. */
export interface HostName {
  readonly host: string;
  readonly port?: number;
}

/** Longer texts are looked at from their beginning. */
const maxTextChars = 200_000;
const maxHosts = 200;

/** `https://name:1/`, `user@name:path`, `name.tld`, `name.tld:1`, `localhost:1`, `10.0.0.1`, `[::1]:1`. */
const written =
  /\[[0-9a-f:.]{2,45}\](?::\d{1,5})?|(?:(?<=\/\/)|(?<![\p{L}\w./-]))(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z][a-z0-9-]{0,61}[a-z0-9])(?![\w-])(?::\d{1,5}(?!\d))?/giu;
/** `http://db/`: a name without a dot is one only where it stands as an address. */
const inAddress =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^\s/?#@]{0,200}@)?([^\s/?#@:"'`()[\]<>,]{1,253})(:\d{1,5})?(?=[/?#\s"'`)\]>,]|$)/giu;

/**
 * Every host that a text names. A name such as `notes.md` counts too: who writes it means a file, and nobody is harmed
 * when a host of that name may be asked.
 */
export function hostsIn(text: string): readonly HostName[] {
  const looked = text.slice(0, maxTextChars);
  const found = new Map<string, HostName>();
  const texts = [...looked.matchAll(written)].map(([name]) => name);
  const named = [...looked.matchAll(inAddress)].map(([, host = '', port = '']) => host + port);
  for (const name of [...texts, ...named]) {
    if (found.size >= maxHosts) break;
    const host = parseHost(name);
    if (host !== undefined) found.set(hostText(host), host);
  }
  return [...found.values()];
}

/** Web addresses that a text names, as `URL` writes them. */
export function addressesIn(text: string): readonly string[] {
  const found = text.slice(0, maxTextChars).match(/\bhttps?:\/\/[^\s"'`<>]{1,2000}/gi) ?? [];
  const addresses = found.slice(0, maxHosts).flatMap((address) => {
    // A full stop, a comma or a bracket behind it most often belongs to the sentence.
    const bare = address.replace(/[.,;:!?)\]}*_]+$/, '');
    return [URL.parse(address)?.href ?? [], URL.parse(bare)?.href ?? []].flat();
  });
  return [...new Set(addresses)];
}

/** A host as it is written, with or without a port; undefined when it is none. */
export function parseHost(text: string): HostName | undefined {
  const { hostname = '', port = '' } = URL.parse(`http://${text}`) ?? {};
  if (hostname === '') return undefined;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  // `URL` leaves 80 out, since it is the usual one.
  const given = /:0*(\d{1,5})$/.exec(text.replace(/^\[[^\]]*\]/, ''))?.[1] ?? port;
  return given === '' ? { host } : { host, port: Number(given) };
}

/** `name`, `name:1`, `[::1]:1` */
export function hostText({ host, port }: HostName): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === undefined ? name : `${name}:${port}`;
}

/** Where package managers fetch from when nobody told them otherwise. What is sent there is asked about like anywhere. */
const packageHosts: ReadonlySet<string> = new Set(
  [
    'registry.npmjs.org registry.yarnpkg.com registry.npmmirror.com nodejs.org',
    'pypi.org files.pythonhosted.org conda.anaconda.org repo.anaconda.com',
    'crates.io static.crates.io index.crates.io static.rust-lang.org',
    'proxy.golang.org sum.golang.org go.dev dl.google.com',
    'rubygems.org index.rubygems.org repo.packagist.org packagist.org',
    'repo.maven.apache.org repo1.maven.org plugins.gradle.org services.gradle.org downloads.gradle.org maven.google.com',
    'api.nuget.org jsr.io npm.jsr.io deno.land hex.pm repo.hex.pm pub.dev cpan.metacpan.org',
    'deb.debian.org security.debian.org archive.ubuntu.com security.ubuntu.com ports.ubuntu.com dl-cdn.alpinelinux.org',
    'mirrors.fedoraproject.org cache.nixos.org formulae.brew.sh',
  ].flatMap((names) => names.split(' ')),
);

export function isPackageHost(host: string): boolean {
  return packageHosts.has(host);
}
