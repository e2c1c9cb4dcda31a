import { LogTrimmedError } from '../../streams/event-log.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { ObjectHistory } from './object-history.ts';

/**
 * The error for a request for what was cut; undefined while it can be read. The words are what
 * Kubernetes puts behind "too old resource version".
 */
export function tooOld(
  history: Pick<ObjectHistory, 'readableSince'>,
  resource: string,
  version: ResourceVersion,
): LogTrimmedError | undefined {
  const since = history.readableSince(resource);
  if (version >= since) return undefined;
  return new LogTrimmedError(`${String(version)} (${String(since)})`);
}
