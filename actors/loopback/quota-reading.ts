/**
 * Before it is decided by what quotas count, or written into their status, what is large is counted
 * in turns of the event loop. Requests that come meanwhile share the reading that is under way.
 */
import type { QuotaUsage } from '../../projections/ownership/quota-usage.ts';
import { inSlices } from '../request/large-work.ts';

type Reading = Pick<QuotaUsage, 'readInParts'>;

const underWay = new WeakMap<Reading, Map<string, Promise<void>>>();

/**
 * Resolves when little is left to count in the namespace; undefined where that is so already. What
 * comes behind it in the same turn finds it so.
 */
export function readQuotas(
  usage: Reading,
  namespace: string,
  now: () => number,
): Promise<void> | undefined {
  const readings = underWay.get(usage) ?? new Map<string, Promise<void>>();
  underWay.set(usage, readings);
  const others = readings.get(namespace);
  if (others !== undefined) return others;
  const parts = usage.readInParts(namespace, now());
  if (parts === undefined) return undefined;
  const reading = inSlices(parts).finally(() => readings.delete(namespace));
  readings.set(namespace, reading);
  return reading;
}
