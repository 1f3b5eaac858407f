/** Programs that tell about this machine, its users and processes. */
import { describe } from './describe.ts';
import type { Program } from './known.ts';

export const machine: readonly Program[] = [
  describe('whoami id groups users who w logname tty nproc arch uptime free vmstat lscpu lsblk lsusb lspci lsmod', {
    inert: true,
    plain:
      '-aAbcdfghGiklmnoprstuvwxzZ --all --human --json --output= --si --group --groups --name --user --pretty --since --bytes --mega --giga --total --ignore=',
  }),
  describe('uname locale getconf cal ncal', {
    inert: true,
    plain: '-aimnoprsvy13jhwM --all --kernel-name --kernel-release --machine --nodename --operating-system --processor',
  }),
  describe('hostname', { plain: '-aAdfiIsy --fqdn --short --all-ip-addresses --ip-address', operands: 'none' }),
  describe('date', {
    // Left out: -s sets the clock, as a bare number does.
    plain: '-Ru -d= -r= -v= -j -I? --date= --iso-8601? --rfc-3339= --rfc-email --utc --universal --reference= --debug',
    check: (known, { operands }) => (operands.every(({ text }) => text.startsWith('+')) ? known : undefined),
  }),
  describe('ps pgrep pidof pstree', {
    inert: true,
    plain:
      '-aAcdefFghHiIjklLmMnNopqrsStTuUvVwxXyZ -o= -p= -u= -C= -G= -g= -P= -s= --pid= --ppid= --sort= --format= --forest --no-headers --headers --user= --full --list-full --list-name --exact --newest --oldest --count --parent= --cols= --columns= --width=',
  }),
  describe('top', { plain: '-bciSHw1 -n= -d= -p= -u= -o= -l=', operands: 'none' }),
  describe('lsof', { inert: true, plain: '-ablnPtUVNw -i? -p= -u= -c= -d= -F? -s?' }),
  describe('ss netstat', {
    inert: true,
    plain: '-0146aeEhHilmMnNoOpQrsStTuvVwWxzZ --all --listening --numeric --processes --tcp --udp --summary --extended',
  }),
  describe('printenv', { inert: true, plain: '-0 --null' }),
  // Without a program it prints the environment.
  describe('env', { plain: '-0i --null --ignore-environment', operands: 'none' }),
  // In a terminal a pager that a variable names shows it.
  describe('man apropos whatis', { plain: '-akfw --where --path --apropos --whatis', place: 'sandbox' }),
  describe('less more', {
    // Left out: -o and -O write a log, -k and --lesskey-src name commands. Files may be opened through LESSOPEN.
    plain: '-aABcCeEfFgGiIJKLmMnNqQrRsSuUVwWX~ -b= -h= -j= -x= -y= -z= -p= -P= -t=',
    place: 'sandbox',
    check: (known, { operands }) => (operands.some(({ text }) => text.startsWith('+')) ? undefined : known),
  }),
  describe('clear reset tput', { plain: '-x -T=' }),
  describe('history', {
    operands: 'read',
    check: (known, { operands }) => (operands.every(({ text }) => /^\d+$/.test(text)) ? known : undefined),
  }),
  describe('sync', { plain: '-df --data --file-system' }),
  describe('expr', { inert: true }),
  describe('bc', { plain: '-lqis --mathlib --quiet --standard', operands: 'none' }),
  describe('ping ping6 traceroute tracepath', {
    plain: '-46nqaA -c= -i= -W= -w= -t= -s= -m= -I=',
    operands: 'hosts',
  }),
  describe('nslookup host', { plain: '-46av -t= -W=', operands: 'hosts' }),
];
