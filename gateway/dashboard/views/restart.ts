/** A restart as kubectl has it: another annotation of the pods, which are replaced for it. */
import type { KindName } from '../state/page-location.ts';

const RESTARTED = ['deployments', 'statefulsets', 'daemonsets'];

/** Whether objects of the kind can be restarted. */
export function isRestarted({ group, resource }: Pick<KindName, 'group' | 'resource'>): boolean {
  return group === 'apps' && RESTARTED.includes(resource);
}

/** What is sent for it, as a merge patch. */
export function restartPatch(): object {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
  return { spec: { template: { metadata: { annotations } } } };
}
