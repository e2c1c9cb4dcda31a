/**
 * What kube-apiserver shows: kube-apiserver-figures.json, which `npm run figures` writes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface UpstreamFamily {
  readonly name: string;
  readonly type: string;
  /** STABLE, BETA, ALPHA or INTERNAL; '' where the help says nothing. */
  readonly stability: string;
  /** Sorted. */
  readonly labels: readonly string[];
}

export interface UpstreamFigures {
  readonly version: string;
  /** The checks of a plain start, in order. */
  readonly checks: Readonly<Record<'healthz' | 'livez' | 'readyz', readonly string[]>>;
  /** Shown by a server that has nothing to do; without those of Go's runtime. */
  readonly idle: readonly UpstreamFamily[];
  /** Shown beside them with --show-hidden-metrics-for-version. */
  readonly hidden: readonly UpstreamFamily[];
  /** The others that Kubernetes' own list has for kube-apiserver. */
  readonly others: readonly UpstreamFamily[];
}

export function upstreamFigures(): UpstreamFigures {
  const text = readFileSync(join(import.meta.dirname, 'kube-apiserver-figures.json'), 'utf8');
  return JSON.parse(text) as UpstreamFigures;
}

/** All of them. */
export function upstreamFamilies(): readonly UpstreamFamily[] {
  const { idle, hidden, others } = upstreamFigures();
  return [...idle, ...hidden, ...others];
}
