/**
 * Makes the namespaces that every control plane has.
 *
 * In Kubernetes: the system namespaces controller, kubernetes/pkg/controlplane/controller.
 */
import type { Loopback } from '../loopback/loopback.ts';

export const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

/** @throws Error when one is missing and cannot be made. */
export async function makeSystemNamespaces(loopback: Loopback): Promise<void> {
  for (const name of SYSTEM_NAMESPACES) {
    const found = await loopback({ method: 'GET', path: `/api/v1/namespaces/${name}` });
    if (found.kind !== 'Status') continue;
    const body = { kind: 'Namespace', apiVersion: 'v1', metadata: { name } };
    const made = await loopback({ method: 'POST', path: '/api/v1/namespaces', body });
    // Another server on the same log may have been first.
    if (made.kind === 'Status' && made.status.reason !== 'AlreadyExists') {
      throw new Error(`namespace ${name} could not be made: ${made.status.message ?? ''}`);
    }
  }
}
