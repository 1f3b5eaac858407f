/** What `skill_manage` can do. */

export const manageActions = ['create', 'patch', 'edit', 'delete', 'write_file', 'remove_file'] as const;

export type ManageAction = (typeof manageActions)[number];
