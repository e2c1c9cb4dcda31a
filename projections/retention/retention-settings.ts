import type { ResourceVersion } from '../../streams/resource-version.ts';

/** How much of the past is kept. */
export type Keep =
  | { readonly kind: 'for'; readonly ms: number }
  | { readonly kind: 'events'; readonly count: number }
  | { readonly kind: 'ever' };

export interface RetentionSettings {
  readonly everything: Keep;
  /** Of the resources that are kept for another time, by storage: `core/events`. */
  readonly resources: ReadonlyMap<string, Keep>;
}

export function keepOf({ everything, resources }: RetentionSettings, resource: string): Keep {
  return resources.get(resource) ?? everything;
}

/** The moments that others still need: nothing behind the oldest of them is cut. */
export type KeepFrom = () => ResourceVersion | undefined;
