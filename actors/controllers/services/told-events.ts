/**
 * Events that the server writes about objects of the cluster.
 *
 * In Kubernetes: client-go/tools/record, whose events these are like.
 */
import type { ObjectMeta } from '../../../api/generated/kinds/meta-v1.ts';
import { formatTime, type Clock } from '../../../api/meta/clock.ts';
import type { Loopback } from '../../loopback/loopback.ts';

/** A warning about an object that lies in no namespace. */
export interface Told {
  /** Which part of the server tells it. */
  readonly component: string;
  readonly about: {
    readonly kind: string;
    readonly apiVersion: string;
    readonly metadata: ObjectMeta;
  };
  /** In CamelCase. */
  readonly reason: string;
  readonly message: string;
}

const EVENTS = '/api/v1/namespaces/default/events';
const NS_PER_MS = 1_000_000n;

/** Resolves when it is written, or refused, which changes nothing. */
export async function tellEvent(
  { loopback, clock }: { readonly loopback: Loopback; readonly clock: Clock },
  { component, about, reason, message }: Told,
): Promise<void> {
  const { kind, apiVersion, metadata } = about;
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  const now = clock.now();
  const time = formatTime(now);
  const body = {
    ...{ kind: 'Event', apiVersion: 'v1' },
    metadata: { name: `${name}.${(BigInt(now) * NS_PER_MS).toString(16)}`, namespace: 'default' },
    involvedObject: { kind, apiVersion, name, uid, resourceVersion },
    ...{ reason, message, type: 'Warning', count: 1 },
    ...{ firstTimestamp: time, lastTimestamp: time },
    ...{ source: { component }, reportingComponent: component, reportingInstance: '' },
  };
  await loopback({ method: 'POST', path: EVENTS, body });
}
