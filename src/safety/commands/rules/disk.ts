/** Formatting, copying and writing whole disks. */
import { containable, finding, type Finding } from '../../finding.ts';
import { type CommandPaths, isBlockDevice, resolvePath } from '../paths.ts';
import type { SimpleCommand } from '../simple-command.ts';
import { writePlace } from '../write-places.ts';
import { writtenPaths } from '../written-paths.ts';
import type { Rule } from './rule.ts';

const formats = /^(?:mkfs(?:\..+)?|mke2fs|mkswap|newfs(?:_.+)?|mkntfs|mkdosfs)$/;
const asksOnly = /^(?:-V|--version|-h|--help|-n|--dry-run)$/;
const partitions =
  /^(?:fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|wipefs|blkdiscard|lvremove|vgremove|pvremove|zpool|hdparm)$/;
const erases = /^(?:wipefs|blkdiscard|shred|badblocks|mkswap)$/;

export const disk: Rule = (command, paths) => {
  const findings: Finding[] = [];
  if (isFormatting(command)) findings.push(finding('format filesystem'));
  if (command.name === 'dd' && command.args.some((field) => /^(?:if|of)=/.test(field.text)))
    findings.push(copiesFile(command, paths) ? containable(finding('disk copy')) : finding('disk copy'));
  if (partitions.test(command.name) && !isListing(command)) findings.push(finding('change of disk layout'));
  if (
    command.name === 'cryptsetup' &&
    command.args.some((field) => /^(?:luksFormat|erase|luksErase|reencrypt)$/i.test(field.text))
  ) {
    findings.push(finding('change of disk layout'));
  }
  if (writtenPaths(command).some((path) => path.startsWith('/dev/') && !harmlessDevice.test(path))) {
    findings.push(finding('write to block device'));
  }
  return findings;
};

/** `dd` from a file or a source of zeroes to a file of the workspace. */
function copiesFile(command: SimpleCommand, paths: CommandPaths): boolean {
  const [from] = command.args.flatMap((field) => /^if=(.*)$/s.exec(field.text)?.[1] ?? []);
  const reads = from === undefined || !from.startsWith('/dev/') || harmlessDevice.test(from);
  const written = writtenPaths(command);
  return reads && written.length > 0 && written.every((path) => writePlace(path, command.cwd, paths) === 'free');
}

const harmlessDevice =
  /^\/dev\/(?:null|zero|full|tty\w*|stdin|stdout|stderr|fd\/.*|shm(?:\/.*)?|pts\/\d+|ptmx|console|u?random|tcp\/.*|udp\/.*)$/;

function isFormatting({ name }: SimpleCommand): boolean {
  return formats.test(name);
}

/** Also on an image: which file or device a name leads to is decided elsewhere. */
export function formatsFilesystem(command: SimpleCommand): boolean {
  if (command.name === 'mkswap' || !isFormatting(command)) return false;
  return !command.args.some((field) => asksOnly.test(field.text));
}

function isListing({ args }: SimpleCommand): boolean {
  return (
    args.every(
      (field) =>
        /^(?:-l|--list|-p|print|list|status|-V|--version|-h|--help)$/.test(field.text) ||
        field.text.startsWith('/dev/'),
    ) && args.some((field) => !field.text.startsWith('/dev/'))
  );
}

/** The raw disk that the call would overwrite, if it would. */
export function overwrittenDisk(command: SimpleCommand): string | undefined {
  const onto = writtenPaths(command).map((path) => resolvePath(path, command.cwd) ?? path);
  const operands = command.args.map((field) => field.text);
  const formatted = isFormatting(command) ? operands.filter((path) => isBlockDevice(path) || path === '/') : [];
  const erased = erases.test(command.name) && !isListing(command) ? operands : [];
  return [...formatted, ...[...onto, ...erased].filter(isBlockDevice)][0];
}
