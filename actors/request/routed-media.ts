/**
 * What upstream's router says of media types, before a filter looks at the request: whether a path
 * gives what the client accepts, and takes what it sends. It knows names only, so `application/*`
 * is nothing that it gives, and a request for a table of an unknown version passes it.
 *
 * In Kubernetes: Route.matchesAccept and matchesContentType of emicklei/go-restful.
 */
import { unacceptedByRouter, unconsumedByRouter, type Status } from '../../api/meta/status.ts';
import type { IncomingHeaders } from './request-line.ts';

/** Of whatever is written in the forms of objects. */
export const OBJECT_TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];
/** A watch is never written in YAML, which has no way to end a document and go on. */
export const STREAM_TYPES: readonly string[] = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];
/** Of lists, which can be watched at the same path. */
export const LIST_TYPES: readonly string[] = [...OBJECT_TYPES, ...STREAM_TYPES];

const PATCH_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

/** @returns 406 in the router's words; undefined: something of it is given here. */
export function routedAccept(
  headers: IncomingHeaders,
  produced: readonly string[],
): Status | undefined {
  const accept = String(headers['accept'] ?? '');
  const isGiven = accept === '' || namesIn(accept).some((name) => isAmong(name, produced));
  return isGiven ? undefined : unacceptedByRouter(produced);
}

/** @returns 415 in the router's words, for a patch in no form that there is. */
export function routedPatch(headers: IncomingHeaders): Status | undefined {
  const names = namesIn(String(headers['content-type'] ?? ''));
  return names.some((name) => PATCH_TYPES.includes(name)) ? undefined : unconsumedByRouter();
}

function isAmong(name: string, types: readonly string[]): boolean {
  return name === '*/*' || types.includes(name);
}

/** Without their parameters, `q` among them: what is accepted least is accepted too. */
function namesIn(header: string): string[] {
  return header.split(',').map((part) => (part.split(';', 1)[0] ?? '').trim());
}
