/** Package managers of languages: they build and run what a project names, and publish to everyone. */
import { all, describe, type Shape } from './describe.ts';
import { asks } from './findings.ts';
import type { Program } from './known.ts';

const everywhere = 'installs programs for all projects';
const settings = 'changes settings for all projects';
const publishing = 'publishes a package';
const login = 'changes accounts or logins';
const publish = asks(publishing);
/** It runs what the project or a package names: unknown, unless it asks. */
const runs: Shape = { check: () => undefined };

const npmLooks: Shape = {
  place: 'sandbox',
  plain:
    '-aglpv --all --depth= --json --long --parseable --global --prod --omit= --include= --workspace= --workspaces --recursive -r -w= --filter= --silent --no-color --dev --audit-level= --production --only= --link --package-lock-only --compatible',
};
const registry: Shape = { ...npmLooks, host: 'registry.npmjs.org' };

const npmCommands: Readonly<Record<string, Shape>> = {
  ...all('ls list ll la explain why root prefix bin help query licenses', npmLooks),
  ...all('view info show v outdated search ping whoami fund sbom', registry),
  audit: {
    ...registry,
    // With `fix` it changes the project; `signatures` only looks.
    check: (known, { operands }) => (operands.some(({ text }) => text === 'fix') ? undefined : known),
  },
  ...all('publish unpublish deprecate undeprecate dist-tag dist-tags stage', { ask: publishing }),
  ...all('owner author access team org hook profile token login logout adduser add-user star unstar trust', {
    ask: login,
  }),
  ...all('config c', {
    place: 'sandbox',
    otherwise: settings,
    commands: all('get list ls', npmLooks),
  }),
  ...all('get', npmLooks),
  ...all('set', { ask: settings }),
  ...all(
    'install i add in isntall ci install-test it uninstall un remove rm r unlink update up upgrade udpate link ln create init dlx exec x rebuild prune dedupe',
    {
      asks: { [everywhere]: '-g --global --location=' },
      check: () => undefined,
    },
  ),
  global: { bare: 'unknown', otherwise: everywhere, commands: all('list bin dir', npmLooks) },
  npm: { otherwise: login, commands: { ...all('info whoami audit', registry), publish: { ask: publishing } } },
  cache: { commands: all('ls verify dir', npmLooks) },
  setup: { ask: everywhere },
  pm: { commands: { ...all('ls bin hash cache whoami', npmLooks), ...all('pkg trust', runs) } },
  version: runs,
};

const pythonAsks = { [everywhere]: '--break-system-packages --user --target= -t= --root= --prefix=' };

export const packages: readonly Program[] = [
  // Left out: --prefix and -C name another project, --script-shell and --userconfig programs and settings.
  describe('npm pnpm yarn bun cnpm', {
    bare: 'unknown',
    plain: '-s --silent --version -v --no-color',
    commands: npmCommands,
  }),
  describe('corepack', { bare: 'unknown', ask: everywhere }),
  describe('pip pip3 pip3.11 pip3.12 pip3.13', {
    plain: '-qv --disable-pip-version-check --no-color --quiet --verbose --version -V --no-input',
    commands: {
      ...all('list freeze show check inspect debug help', {
        place: 'sandbox',
        plain:
          '-oulf --outdated --uptodate --format= --local --user --files --verbose --not-required --all --exclude= --path=',
      }),
      ...all('index search', { place: 'sandbox', host: 'pypi.org', plain: '--versions --pre' }),
      ...all('install uninstall download wheel', { asks: pythonAsks, check: () => undefined }),
      config: {
        otherwise: settings,
        commands: all('list get debug', { place: 'sandbox', plain: '--user --global --site' }),
      },
      cache: { commands: all('dir info list', { place: 'sandbox' }) },
    },
  }),
  describe('pipx', {
    otherwise: everywhere,
    commands: { list: { place: 'sandbox', plain: '--short --json' }, run: runs, environment: { place: 'sandbox' } },
  }),
  describe('uv', {
    commands: {
      publish: { ask: publishing },
      tool: { otherwise: everywhere, commands: { list: { place: 'sandbox' }, run: runs, dir: { place: 'sandbox' } } },
      self: { ask: everywhere },
      auth: { ask: login },
      python: {
        otherwise: everywhere,
        commands: all('list find dir pin', { place: 'sandbox', plain: '--only-installed --all-versions' }),
      },
      tree: { place: 'sandbox', plain: '--depth= --outdated --frozen' },
      pip: {
        commands: {
          ...all('list freeze show check tree', { place: 'sandbox', plain: '--format= --outdated' }),
          install: {
            asks: { [everywhere]: '--system --break-system-packages --target= --prefix=' },
            check: () => undefined,
          },
        },
      },
    },
  }),
  describe('poetry pdm hatch rye flit', {
    commands: {
      ...all('publish upload', { ask: publishing }),
      config: {
        plain: '--list',
        ask: settings,
        check: (known, { given }) =>
          given.some(({ option }) => option.name === '--list') ? { ...known, place: 'sandbox', findings: [] } : known,
      },
      ...all('show check list info', {
        place: 'sandbox',
        plain: '-tTlov --tree --latest --outdated --only= --with= --without= --all',
      }),
      self: { ask: everywhere },
      build: { ...runs, asks: { [publishing]: '--publish' } },
    },
  }),
  describe('twine', {
    commands: {
      upload: { ask: publishing },
      register: { ask: publishing },
      check: { place: 'sandbox', plain: '--strict' },
    },
  }),
  describe('conda mamba micromamba', {
    commands: {
      ...all('list info search', { place: 'sandbox', plain: '-n= -p= -e --name= --envs --json --export' }),
      env: {
        otherwise: everywhere,
        commands: {
          list: { place: 'sandbox' },
          export: { place: 'sandbox', plain: '-n= --name= --from-history --no-builds' },
        },
      },
      ...all('install remove update uninstall create clean init', { ask: everywhere }),
      config: { ask: settings },
    },
  }),
  describe('cargo', {
    place: 'sandbox',
    plain: '-qv --quiet --verbose --version -V --list --locked --offline --frozen',
    commands: {
      ...all('publish yank', { ask: publishing }),
      ...all('login logout owner', { ask: login }),
      ...all('install uninstall', { ask: everywhere, plain: '--list' }),
      ...all('tree metadata search info locate-project pkgid read-manifest verify-project', {
        place: 'sandbox',
        plain:
          '-id -p= -e= --depth= --no-deps --format-version= --all-features --features= --duplicates --invert= --package= --limit= --workspace --locked --offline',
      }),
    },
  }),
  describe('rustup', {
    otherwise: everywhere,
    commands: {
      show: { place: 'sandbox', otherwise: everywhere, commands: all('active-toolchain home profile', {}) },
      which: { place: 'sandbox' },
      run: runs,
      doc: runs,
    },
  }),
  describe('go', {
    style: 'words',
    commands: {
      ...all('version help', { plain: '-m -v', place: 'sandbox' }),
      env: { place: 'sandbox', plain: '-json -changed', asks: { [settings]: '-w -u' } },
      list: { place: 'sandbox', plain: '-m -u -json -f= -deps -test -e -versions' },
      doc: { place: 'sandbox', plain: '-all -short -src -u -c' },
      install: { ask: everywhere },
      clean: { plain: '-cache -testcache -n -x -r -i', asks: { 'delete by pattern': '-modcache' } },
      mod: { commands: all('graph why verify', { place: 'sandbox', plain: '-m -vendor' }) },
      telemetry: { ask: settings },
    },
  }),
  describe('gem', {
    commands: {
      ...all('push yank', { ask: publishing }),
      ...all('owner signin signout', { ask: login }),
      ...all('install uninstall update cleanup i pristine sources', { ask: everywhere }),
      ...all('list search info which environment env outdated contents dependency specification help', {
        place: 'sandbox',
        plain: '-arld --local --remote --all --versions --details',
      }),
    },
  }),
  describe('bundle bundler', {
    bare: 'unknown',
    commands: {
      ...all('list show info outdated check platform doctor', {
        place: 'sandbox',
        plain: '--path --name-only --paths',
      }),
      config: {
        ask: settings,
        commands: { list: { place: 'sandbox' }, get: { place: 'sandbox' } },
        otherwise: settings,
      },
    },
  }),
  describe('composer', {
    plain: '-nqv --no-interaction --version -V',
    commands: {
      ...all('show info outdated licenses validate diagnose why depends prohibits about', {
        place: 'sandbox',
        plain: '-iltasDo --installed --latest --tree --all --direct --strict --no-check-all --format=',
      }),
      global: { ask: everywhere },
      config: {
        place: 'sandbox',
        plain: '-l --list',
        asks: { [settings]: '-g --global -e --editor' },
        check: (known, { operands }) => (operands.length < 2 ? known : undefined),
      },
      'self-update': { ask: everywhere },
    },
  }),
  describe('dotnet', {
    plain: '--version --info --list-sdks --list-runtimes',
    commands: {
      nuget: {
        otherwise: settings,
        commands: {
          push: { ask: publishing },
          delete: { ask: publishing },
          list: { place: 'sandbox' },
          locals: { place: 'sandbox', plain: '-l --list' },
        },
      },
      tool: {
        asks: { [everywhere]: '-g --global' },
        commands: {
          list: { place: 'sandbox', plain: '-g --global' },
          install: { asks: { [everywhere]: '-g --global' }, check: () => undefined },
          run: runs,
          restore: runs,
        },
      },
      list: { place: 'sandbox', plain: '--outdated --vulnerable' },
    },
  }),
  describe('mvn mvnw', {
    plain: '-BqeXUoVv -D= -f= -pl= -P= -T=',
    bare: 'unknown',
    // Goals stand in any order.
    check: (known, { operands }) =>
      operands.some(({ text }) =>
        /^(?:deploy|site-deploy|release:\w+|.*:deploy(?:-file)?|.*nexus.*|jib:build|docker:push)$/.test(text),
      )
        ? { ...known, place: 'outside', findings: [publish] }
        : undefined,
  }),
  describe('gradle gradlew', {
    plain: '-qisd -x= --info --stacktrace --no-daemon --console=',
    check: (known, { operands }) =>
      operands.some(
        ({ text }) =>
          /(?:^|:)(?:publish\w*|upload\w*|closeAndRelease\w*|jib|bintrayUpload)$/i.test(text) &&
          !text.endsWith('MavenLocal'),
      )
        ? { ...known, place: 'outside', findings: [publish] }
        : undefined,
  }),
  describe('vsce ovsx', {
    otherwise: login,
    commands: {
      publish: { ask: publishing },
      unpublish: { ask: publishing },
      package: runs,
      ls: { place: 'sandbox' },
      show: { place: 'sandbox' },
    },
  }),
  describe('semantic-release release-it np changeset lerna', {
    bare: 'unknown',
    plain: '--dry-run -d',
    check: (known, { operands, given }, { name }) => {
      const publishes =
        /^(?:semantic-release|release-it|np)$/.test(name) || operands.some(({ text }) => text === 'publish');
      const tries = given.some(({ option }) => option.name === '--dry-run' || option.name === '-d');
      return publishes && !tries ? { ...known, place: 'outside', findings: [publish] } : undefined;
    },
  }),
];
