/** Whether a shell command may change or remove files that are there: before such a one a checkpoint is taken. */
const destructive = [
  /(?:^|[;&|(`\n]\s*|\bsudo\s+|\bxargs\s+(?:-\S+\s+)*|-exec\s+)(?:rm|rmdir|cp|install|mv|truncate|dd|shred)\s/,
  /\bsed\b[^;&|\n]*\s(?:-[a-zA-Z]*i|--in-place)/,
  /(?:^|[^>&\d=-])>(?![>&])\s*(?!\/dev\/(?:null|stdout|stderr))\S/,
  /\bgit\s+(?:-\S+\s+)*(?:reset|clean|checkout)\b/,
];

export function isDestructive(command: string): boolean {
  return destructive.some((pattern) => pattern.test(command));
}
