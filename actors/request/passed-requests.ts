/**
 * Requests that other servers answer. Figures of requests are about the server's own, as upstream's: an aggregated
 * server that is away is no error of this one.
 */
import type { ReceivedRequest } from './request.ts';

const passed = new WeakSet<ReceivedRequest>();

/** Notes that another server answers it. */
export function passedOn(request: ReceivedRequest): void {
  passed.add(request);
}

/** Whether another server has answered it, or was asked to. */
export function isPassedOn(request: ReceivedRequest): boolean {
  return passed.has(request);
}
