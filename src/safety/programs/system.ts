/** Programs that change the machine itself: services, packages, users, disks, the network, and when things run. */
import { all, describe, type Shape } from './describe.ts';
import { asks } from './findings.ts';
import type { Program } from './known.ts';

const system = 'changes the system';
const service = 'changes a system service';
const install = 'installs system packages';
const schedule = 'scheduled command';
const session = 'starts something outside of the session';

const serviceLooks: Shape = {
  place: 'outside',
  plain:
    '-alnrtTpqu -n= -u= -t= -p= -o= --all --user --system --no-pager --full --lines= --type= --state= --property= --output= --failed --no-legend --quiet --plain --reverse --value --recursive',
};
const packageLooks: Shape = {
  place: 'sandbox',
  plain:
    '-aAnqvlLsSpfiWRcQ --all --installed --upgradable --names-only --versions --json --json=v2 --formula --cask --full --leaves --quiet --available --enabled --cached',
};

export const systemPrograms: readonly Program[] = [
  describe('systemctl', {
    plain:
      '--user --system --no-pager --all -a --failed --quiet -q --full -l --type= --state= --version -t= -n= --lines= -p= --property= --no-legend --plain',
    otherwise: service,
    commands: all(
      'status show is-active is-enabled is-failed list-units list-unit-files list-timers list-sockets list-dependencies cat help get-default show-environment list-jobs',
      serviceLooks,
    ),
  }),
  describe('service', {
    plain: '--status-all',
    check: (known, { operands }) => {
      const verb = operands[1]?.text;
      // It runs the script of that name: a path may lead to any.
      const plain = /^[\w@.-]+$/.test(operands[0]?.text ?? '') && !operands[0]?.text.startsWith('.');
      const looks = operands.length === 0 || (plain && verb === 'status' && operands.length === 2);
      return { ...known, place: 'outside', findings: looks ? [] : [asks(service)] };
    },
  }),
  describe(
    'launchctl rc-service rc-update initctl sv s6-rc supervisorctl pm2 brew-services update-rc.d chkconfig loginctl',
    {
      otherwise: service,
      plain: '--version',
      commands: all('list print status blame show ls l logs jlist prettylist describe list-sessions', {
        place: 'outside',
        plain: '-a -l --nostream --lines= --raw',
      }),
    },
  ),
  describe('journalctl dmesg', {
    place: 'outside',
    plain:
      '-0123456789abefklnqrxTHwLt -u= -n= -p= -o= -g= -S= -U= --user --no-pager --unit= --since= --until= --lines= --follow --priority= --output= --grep= --boot? --reverse --dmesg --disk-usage --list-boots --level= --human --ctime --color?',
    asks: {
      [system]:
        '-C -c --clear --read-clear --vacuum-size= --vacuum-time= --vacuum-files= --rotate --flush --sync --relinquish-var',
    },
  }),
  describe('last lastlog lastb', { plain: '-n= -aFiRxw0123456789', inert: true }),
  describe('apt apt-get aptitude nala', {
    plain: '-qyV -q= -o=',
    otherwise: install,
    commands: all('list search show policy depends rdepends changelog madison showsrc help', packageLooks),
  }),
  describe('apt-cache apt-config apt-file', { ...packageLooks }),
  describe('dpkg rpm', {
    plain:
      '-lLsSpWVqaickf --list --listfiles --status --search --print-avail --get-selections --print-architecture --query --all --info --requires --whatprovides= --queryformat= --verify --version',
    asks: {
      [install]:
        '-irPeUFC --install --remove --purge --configure --unpack --erase --upgrade --freshen --import --add-architecture --set-selections --force-all',
    },
    check: (known, _args, { name, args }) => {
      // `rpm -qi` only tells; the letters mean another thing behind -q.
      const asksOnly = name === 'rpm' && args.some(({ text }) => /^-q|^--query$/.test(text));
      return asksOnly ? { ...known, place: 'anywhere', findings: [] } : known;
    },
  }),
  describe('dnf yum zypper microdnf', {
    plain: '-qy --quiet --refresh',
    otherwise: install,
    commands: all('list search info provides repolist repoquery check-update history', packageLooks),
  }),
  describe('pacman yay paru', {
    plain: '-QsiloqkS --query --search --info',
    asks: { [install]: '-SRUDFyuwcn --sync --remove --upgrade --database --files' },
    check: (known, _args, { args }) => {
      const looks = args.some(({ text }) => /^-(?:Q[a-z]*|Ss[a-z]*|Si[a-z]*)$/.test(text));
      return looks ? { ...known, place: 'sandbox', findings: [] } : known;
    },
  }),
  describe('apk', { otherwise: install, commands: all('info list search policy version', packageLooks) }),
  describe('brew port', {
    plain: '--version --prefix --cellar',
    otherwise: install,
    commands: all('list ls info search outdated deps uses config doctor leaves desc cat --prefix', packageLooks),
  }),
  describe('snap flatpak', {
    otherwise: install,
    commands: all('list info find search version remotes history', packageLooks),
  }),
  describe(
    'nix nix-env nix-shell guix asdf mise rtx nvm fnm volta pyenv rbenv sdk n choco winget scoop softwareupdate mas xcode-select',
    {
      otherwise: install,
      plain: '--version',
      commands: all(
        'list ls current which versions version info search outdated where ls-remote list-all --list doctor',
        packageLooks,
      ),
    },
  ),
  describe(
    'useradd userdel usermod adduser deluser groupadd groupdel groupmod passwd chpasswd chage chsh chfn gpasswd newusers visudo vipw vigr dscl sysadminctl',
    { ask: 'changes users of the system' },
  ),
  describe('sudo doas pkexec su runuser run0 gosu su-exec sg newgrp', {
    plain: '-lVh --list --version --help',
    optionsFirst: true,
    check: (known, { operands, given }) =>
      operands.length === 0 && given.length > 0
        ? known
        : { ...known, place: 'outside', findings: [asks('rights of another user')] },
  }),
  describe('chroot unshare nsenter setpriv capsh setcap', { ask: 'rights of another user' }),
  describe('getcap getfacl lsattr getfattr', { inert: true, plain: '-rnvRapdl' }),
  describe('setfacl chattr setfattr xattr chflags', { ask: system, operands: 'written' }),
  describe('iptables ip6tables nft ufw firewall-cmd pfctl ebtables ipset tc', {
    place: 'outside',
    plain: '-LSnvt -t= --list --list-rules --numeric --verbose --state --list-all --get-active-zones',
    ask: system,
    check: (known, { operands, given }) => {
      const looks = given.some(({ option }) => /^(?:-[LS]|--list|--list-rules|--state|--list-all)$/.test(option.name));
      const words = operands.map(({ text }) => text).join(' ');
      return (looks && operands.length < 2) || /^(?:status(?: \w+)?|list(?: ruleset| tables)?)$/.test(words)
        ? { ...known, findings: [] }
        : known;
    },
  }),
  describe('ip', {
    plain: '-46abdjorsc -br -brief -json -details -color',
    style: 'words',
    check: (known, { operands }) => {
      const verb = operands[1]?.text;
      const looks = operands.length > 0 && (verb === undefined || /^(?:show|s|sh|list|ls|l|get|monitor)$/.test(verb));
      return looks ? known : { ...known, place: 'outside', findings: [asks(system)] };
    },
  }),
  describe('ifconfig route arp iwconfig', {
    plain: '-anv',
    check: (known, { operands }) =>
      operands.length <= 1 ? known : { ...known, place: 'outside', findings: [asks(system)] },
  }),
  describe(
    'mount umount swapon swapoff losetup fdisk parted sfdisk gdisk cryptsetup lvcreate lvremove pvcreate vgcreate vgremove mdadm zpool zfs btrfs tune2fs resize2fs fsck e2fsck diskutil hdiutil blkdiscard wipefs mkswap hdparm partprobe badblocks eject fstrim',
    {
      ask: system,
      plain: '-l -h --version --list',
      check: (known, { operands, given }, { name }) =>
        operands.length === 0 && (given.length > 0 || name === 'mount' || name === 'losetup')
          ? { ...known, place: 'anywhere', findings: [] }
          : known,
    },
  ),
  describe('findmnt blkid', { inert: true, plain: '-lnoJDtfp -o= -t= -T= --json --df --list' }),
  describe('sysctl', {
    plain: '-anNqb --all --values --names',
    check: (known, { operands }, { args }) =>
      operands.some(({ text }) => text.includes('=')) ||
      args.some(({ text }) => /^-[wp]|^--(?:write|load|system)/.test(text))
        ? { ...known, place: 'outside', findings: [asks(system)] }
        : known,
  }),
  describe(
    'modprobe insmod rmmod depmod update-initramfs update-grub grub-install grub-mkconfig dracut kexec timedatectl hostnamectl localectl hwclock networksetup nmcli scutil defaults nvram csrutil spctl tccutil plutil pmset systemsetup update-alternatives ldconfig dpkg-reconfigure locale-gen setenforce semanage aa-disable auditctl authconfig pam-auth-update',
    {
      ask: system,
      plain: '--version -n -p',
      check: (known, { operands }) => {
        const words = operands.map(({ text }) => text);
        const looks =
          /^(?:status|show|read|list|-getinfo|--display|general|device|connection|dev|con)$/.test(words[0] ?? '') &&
          words.slice(1).every((word) => /^(?:status|show|wifi|list|[\w.]+)$/.test(word)) &&
          !words.some((word) => /^(?:up|down|delete|add|modify|connect|disconnect|set.*|write)$/.test(word));
        return looks || (words.length === 0 && known.findings.length === 0)
          ? { ...known, place: 'outside', findings: [] }
          : known;
      },
    },
  ),
  describe('shutdown reboot halt poweroff init telinit', { ask: system }),
  describe('crontab', {
    plain: '-l -u=',
    check: (known, { operands, given }) => {
      const lists = operands.length === 0 && given.some(({ option }) => option.name === '-l');
      return lists ? { ...known, place: 'outside' } : { ...known, place: 'outside', findings: [asks(schedule)] };
    },
    asks: { [schedule]: '-e -r -i' },
  }),
  describe('at batch atrm anacron schtasks fcrontab incrontab anacrontab', {
    plain: '-lV',
    ask: schedule,
    check: (known, { operands, given }) =>
      operands.length === 0 && given.length > 0 ? { ...known, place: 'outside', findings: [] } : known,
  }),
  describe('atq', { place: 'outside' }),
  describe('cron crond fcron incrond atd', { ask: schedule, plain: '-V --version' }),
  describe('systemd-run systemd-analyze dbus-send gdbus busctl dbus-run-session', {
    ask: session,
    commands: all('blame critical-chain time dump list', { place: 'outside' }),
    otherwise: session,
  }),
  describe('pkill killall skill xkill fuser', { ask: 'stops processes it did not start', plain: '-l' }),
  describe('renice', { ask: 'stops processes it did not start' }),
];
