/**
 * What the server asks of itself, counted. They do not come through the filters.
 *
 * In Kubernetes: apiserver_selfrequest_total, apiserver/pkg/endpoints/metrics.
 */
import type { RequestInfo } from '../../actors/request/request.ts';
import { formatFamily, formatLabels } from './exposition.ts';
import { SELF_FAMILY } from './request-families.ts';

export class SelfRequests {
  /** By labels; there are no more than the server's own code has requests. */
  readonly #counts = new Map<string, number>();

  asked({ verb, apiGroup: group, resource, subresource }: RequestInfo): void {
    const labels = formatLabels({ verb: VERBS.get(verb) ?? 'GET', group, resource, subresource });
    this.#counts.set(labels, (this.#counts.get(labels) ?? 0) + 1);
  }

  format(): string {
    const samples = [...this.#counts].map(([labels, value]) => ({ labels, value }));
    return formatFamily(SELF_FAMILY, samples);
  }
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['list', 'LIST'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETE'],
]);
