/** What the server's log says of faults, which are klog's lines of errors and of last words. */
const FAULT = /^[EF]\d{4} .*$/gm;

/** @returns the first line of each. */
export function faultsIn(logs: string): string[] {
  return logs.match(FAULT) ?? [];
}
