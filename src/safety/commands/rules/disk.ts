/** Formatting, copying and writing whole disks. */
import { finding, type Finding } from '../../finding.ts';
import { isBlockDevice, resolvePath } from '../paths.ts';
import type { SimpleCommand } from '../simple-command.ts';
import { writtenPaths } from '../written-paths.ts';
import type { Rule } from './rule.ts';

const formats = /^(?:mkfs(?:\..+)?|mke2fs|mkswap|newfs(?:_.+)?|mkntfs|mkdosfs)$/;
const partitions =
  /^(?:fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|wipefs|blkdiscard|lvremove|vgremove|pvremove|zpool|hdparm)$/;
const erases = /^(?:wipefs|blkdiscard|shred|badblocks|mkswap)$/;

export const disk: Rule = (command) => {
  const findings: Finding[] = [];
  if (isFormatting(command)) findings.push(finding('format filesystem'));
  if (command.name === 'dd' && command.args.some((field) => /^(?:if|of)=/.test(field.text)))
    findings.push(finding('disk copy'));
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

const harmlessDevice =
  /^\/dev\/(?:null|zero|full|tty\w*|stdin|stdout|stderr|fd\/.*|shm(?:\/.*)?|pts\/\d+|ptmx|console|u?random|tcp\/.*|udp\/.*)$/;

function isFormatting({ name }: SimpleCommand): boolean {
  return formats.test(name) || name === 'mkfs';
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
