/** The ways out of the network: through which proxies connections leave, and what is counted of them. */
import { EgressFigures } from '../metrics/egress-figures.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ProxyPlace } from '../outbound/egress/proxy-place.ts';
import { type ProxyWay, wayThrough } from '../outbound/egress/proxy-way.ts';
import type { EgressPlaces } from './egress-configuration.ts';
import { systemClock } from '../process/system-clock.ts';

/** undefined: straight there. */
export interface EgressWays {
  /** To webhooks of authentication, authorization and audit, and to other servers of the log. */
  readonly controlPlane: ProxyWay | undefined;
  /** To nodes, pods and services. */
  readonly cluster: ProxyWay | undefined;
}

/** The ways of --egress-selector-config-file; `undefined` for a place is the straight way. */
export interface EgressSelection extends EgressWays {
  /** Told of each dial through a proxy. */
  readonly figures: EgressFigures;
}

/** No proxies at all: connections leave as the machine sends them. */
export const STRAIGHT: EgressWays = { controlPlane: undefined, cluster: undefined };

/** Makes the ways; a connection to a proxy is opened when something is first to leave. */
export function egressThrough({ controlPlane, cluster }: EgressPlaces): EgressSelection {
  const figures = new EgressFigures();
  const way = (place: ProxyPlace | undefined): ProxyWay | undefined =>
    place === undefined ? undefined : wayThrough(place, { clock: systemClock, meters: figures });
  return { controlPlane: way(controlPlane), cluster: way(cluster), figures };
}

/** @param selection undefined: there are no proxies, and no figures of them are shown. */
export function measureEgress(metrics: Metrics, selection: EgressSelection | undefined): void {
  if (selection !== undefined) metrics.text(() => selection.figures.format());
}
