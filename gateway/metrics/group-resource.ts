/** How figures name a resource that lies in the log as `apps/deployments` or `core/pods`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** As labels: the core group is ''. */
export function groupResourceOf(storage: string): GroupResource {
  const [folder = '', resource = ''] = storage.split('/');
  return { group: folder === 'core' ? '' : folder, resource };
}

/** As one label: `pods`, `deployments.apps`. */
export function qualifiedName(storage: string): string {
  const { group, resource } = groupResourceOf(storage);
  return group === '' ? resource : `${resource}.${group}`;
}
