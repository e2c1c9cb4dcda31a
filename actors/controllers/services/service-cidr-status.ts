/** The condition Ready of ServiceCIDRs, as it is read and written by those that decide about it. */
import type { Condition } from '../../../api/generated/kinds/meta-v1.ts';
import type { ServiceCIDR } from '../../../api/generated/kinds/networking-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { formatTime, type Clock } from '../../../api/meta/clock.ts';
import type { Answer } from '../../request/answer.ts';
import type { Loopback } from '../../loopback/loopback.ts';

/** Where ServiceCIDRs are served. */
export const SERVICE_CIDRS_URL = '/apis/networking.k8s.io/v1/servicecidrs';
/** Of a ServiceCIDR that is written. */
export const SERVICE_CIDR_HEAD = { kind: 'ServiceCIDR', apiVersion: 'networking.k8s.io/v1' };

/** What is said about a ServiceCIDR. */
export interface Readiness {
  readonly status: 'True' | 'False';
  /** '' where it is ready. */
  readonly reason: string;
  readonly message: string;
}

/** The condition that tells whether it is ready; undefined while it has none. */
export function readyConditionOf({ status }: ServiceCIDR): Condition | undefined {
  return items(status.conditions).find(({ type }) => type === 'Ready');
}

/** Writes the condition in the name of a manager, whatever others said. */
export function applyReadiness(
  { loopback, clock }: { readonly loopback: Loopback; readonly clock: Clock },
  name: string,
  manager: string,
  readiness: Readiness,
): Promise<Answer> {
  const lastTransitionTime = formatTime(clock.now());
  const condition = { type: 'Ready', ...readiness, lastTransitionTime };
  const status = { conditions: [condition] };
  const body = { ...SERVICE_CIDR_HEAD, metadata: { name }, status };
  const path = `${SERVICE_CIDRS_URL}/${name}/status`;
  return loopback({ method: 'PATCH', path, body, appliedBy: manager });
}
