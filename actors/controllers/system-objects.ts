/**
 * Makes the objects that every control plane has: its namespaces, and the priority classes of the
 * pods without which no cluster works.
 *
 * In Kubernetes: the system namespaces controller, kubernetes/pkg/controlplane/controller, and
 * AddSystemPriorityClasses, kubernetes/pkg/registry/scheduling/rest.
 */
import type { Loopback } from '../loopback/loopback.ts';
import type { JsonObject } from '../../api/json/json.ts';

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

const PATH = '/apis/scheduling.k8s.io/v1/priorityclasses';

const SYSTEM_PRIORITY_CLASSES: readonly {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}[] = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

/** @throws Error when one is missing and cannot be made. */
export async function makeSystemPriorityClasses(loopback: Loopback): Promise<void> {
  for (const { name, value, description } of SYSTEM_PRIORITY_CLASSES) {
    const found = await loopback({ method: 'GET', path: `${PATH}/${name}` });
    if (found.kind !== 'Status') continue;
    const body: JsonObject = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
    };
    const made = await loopback({ method: 'POST', path: PATH, body });
    // Another server on the same log may have been first.
    if (made.kind === 'Status' && made.status.reason !== 'AlreadyExists') {
      throw new Error(
        `unable to add default system priority classes: ${made.status.message ?? ''}`,
      );
    }
  }
}
