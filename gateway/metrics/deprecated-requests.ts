/** Which deprecated resources were asked for since the start. */
import type { RequestInfo } from '../../actors/request/request.ts';
import { formatFamily, formatLabels } from './exposition.ts';

const FAMILY = {
  name: 'apiserver_requested_deprecated_apis',
  type: 'gauge',
  help: 'Deprecated resources that were asked for.',
} as const;

/** Definitions of custom resources come and go; what is past this is not told. */
const SERIES_MAX = 1_000;

export class DeprecatedRequests {
  readonly #asked = new Set<string>();

  asked({ apiGroup: group, apiVersion: version, resource, subresource }: RequestInfo): void {
    if (this.#asked.size >= SERIES_MAX) return;
    // Of nothing here it is known when it goes.
    const labels = { group, version, resource, subresource, removed_release: '' };
    this.#asked.add(formatLabels(labels));
  }

  format(): string {
    return formatFamily(
      FAMILY,
      [...this.#asked].map((labels) => ({ labels, value: 1 })),
    );
  }
}
