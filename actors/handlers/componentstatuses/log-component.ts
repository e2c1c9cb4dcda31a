/**
 * The log in the place that people look for etcd in, under the name they look for: it is what this
 * control plane keeps its objects in.
 *
 * In Kubernetes: EtcdServer, registry/core/componentstatus.
 */
import type { EventReader } from '../../../streams/event-log.ts';
import type { Component } from '../../../api/kinds/core/componentstatuses/component.ts';

/** As the first etcd of a cluster is called. */
export const LOG_NAME = 'etcd-0';
const TIMEOUT_MS = 20_000;

export function logComponent(log: Pick<EventReader, 'newest'>): Component {
  return {
    name: LOG_NAME,
    async check() {
      try {
        await log.newest(TIMEOUT_MS);
        return { isHealthy: true, message: 'ok', error: '' };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { isHealthy: false, message: '', error: why };
      }
    },
  };
}
