/** What an object is, as `apps`, `v1`, `Deployment`; the group is '' for the legacy one. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
