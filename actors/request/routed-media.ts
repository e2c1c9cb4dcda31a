/**
 * What upstream's router says of media types, before a filter looks at the request: whether a path
 * gives what the client accepts, and takes what it sends. It knows names only, so `application/*`
 * is nothing that it gives, and a request for a table of an unknown version passes it.
 *
 * In Kubernetes: Route.matchesAccept and matchesContentType of emicklei/go-restful.
 */
import { unacceptedByRouter, unconsumedByRouter, type Status } from '../../api/meta/status.ts';
import type { ReceivedRequest } from './request.ts';
import type { IncomingHeaders } from './request-line.ts';

/** What a server gives and takes. */
interface ServedMedia {
  /** Of whatever is written in the forms of objects. */
  readonly objects: readonly string[];
  /** A watch is never written in YAML, which has no way to end a document and go on. */
  readonly streams: readonly string[];
  /** Of lists, which can be watched at the same path. */
  readonly lists: readonly string[];
  readonly patches: readonly string[];
}

const OBJECTS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAMS = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];
const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

const MEDIA = served(OBJECTS, STREAMS, PATCHES);
const WITH_CBOR = served(
  [...OBJECTS, 'application/cbor'],
  [...STREAMS, 'application/cbor-seq'],
  [...PATCHES, 'application/apply-patch+cbor'],
);

function served(objects: string[], streams: string[], patches: string[]): ServedMedia {
  return { objects, streams, lists: [...objects, ...streams], patches };
}

/** Of the server that the request came to. */
export function servedMedia({ hasCbor }: Pick<ReceivedRequest, 'hasCbor'>): ServedMedia {
  return hasCbor === true ? WITH_CBOR : MEDIA;
}

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
export function routedPatch(
  request: Pick<ReceivedRequest, 'headers' | 'hasCbor'>,
): Status | undefined {
  const names = namesIn(String(request.headers['content-type'] ?? ''));
  const { patches } = servedMedia(request);
  return names.some((name) => patches.includes(name)) ? undefined : unconsumedByRouter();
}

function isAmong(name: string, types: readonly string[]): boolean {
  return name === '*/*' || types.includes(name);
}

/** Without their parameters, `q` among them: what is accepted least is accepted too. */
function namesIn(header: string): string[] {
  return header.split(',').map((part) => (part.split(';', 1)[0] ?? '').trim());
}
