/**
 * Behind the filters: which actor is this request for? Another server that serves the group version, a
 * resource's registry, one of the paths that are no resources, or a 404.
 *
 * What is not served answers 404 or 405, as kube-apiserver does. Below `/at/` the moment is found
 * first, so every actor behind this reads as of then; and nothing is written there.
 */
import {
  badRequest,
  internalError,
  methodNotAllowed,
  notFound,
  notAcceptable,
  pageNotFound,
  type Status,
} from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import { queryValues } from '../../api/meta/web-addresses.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { AggregatedDocuments } from '../aggregation/aggregated-documents.ts';
import type { AggregatedServers } from '../aggregation/aggregated-servers.ts';
import type { AggregatedService, AggregatedServices } from '../aggregation/aggregated-services.ts';
import type { PeerServers } from '../peers/peer-servers.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import { warnOfDeprecation } from '../request/deprecation.ts';
import { findMoment } from '../registry/reads/asked-moment.ts';
import { customRefusal } from '../registry/custom/custom-refusal.ts';
import { goneBefore } from '../registry/reads/read-version.ts';
import type { ResourceRequest } from '../registry/registry.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import { routedAccept, routedPatch, servedMedia } from '../request/routed-media.ts';
import { splitPath } from '../request/request-info.ts';
import type { GivenSort } from '../request/request-line.ts';
import { passedOn } from '../request/passed-requests.ts';
import type { AuthenticatedRequest, RequestInfo } from '../request/request.ts';
import type { ReadContext } from '../registry/write-context.ts';

export interface DispatchParts {
  /** What is served under this name, at this moment; undefined: now. */
  readonly lookup: (
    info: RequestInfo,
    moment: ResourceVersion | undefined,
  ) => ServedResource | undefined;
  /** The registry of what is stored under this key. */
  readonly registryOf: (storage: string) => Ref<ResourceRequest>;
  /** Paths that are no resources; undefined when the path is not known. */
  readonly route: (request: AuthenticatedRequest) => Answer | Promise<Answer> | undefined;
  /** Where moments are looked up. */
  readonly context: ReadContext;
  /** Whether nothing may be written to the log. */
  readonly isReadOnly?: boolean;
  /** Which group versions other servers serve, and the ways there; undefined: all is answered here. */
  readonly aggregation: Aggregation | undefined;
}

/** Group versions that other servers serve, of one control plane. */
export interface Aggregation {
  /** Which there are. */
  readonly services: AggregatedServices;
  /** undefined: of a fork, whose requests are not passed on. */
  readonly servers: Pick<AggregatedServers, 'proxy'> | undefined;
  /** Which of them have a list of resources that is kept; undefined: none has. */
  readonly documents?: Pick<AggregatedDocuments, 'listOf'>;
  /** Other servers of this log; undefined: nothing is passed on to them. */
  readonly peers?: Pick<PeerServers, 'proxy'> | undefined;
}

/** `pods/a/status`: what is longer names nothing. */
const PARTS_MAX = 3;
const COLLECTION_VERBS: ReadonlySet<string> = new Set([
  'create',
  'list',
  'watch',
  'deletecollection',
]);

export function dispatch(parts: DispatchParts): Behavior<AuthenticatedRequest> {
  return {
    name: 'dispatch',

    receive(request) {
      const aggregated = parts.aggregation?.services.forPath(request.info.path);
      if (aggregated !== undefined) passToServer(parts, request, aggregated);
      else if (request.info.at === '') onward(parts, request);
      else readPast(parts, request);
    },

    fault(request, error): void {
      return request.reply(statusAnswer(internalError(error)));
    },
  };
}

const OF_ELSEWHERE =
  'is served by another server, as it is now and by the main control plane alone: it has no past and no forks';

/** Ahead of everything that this server serves itself: aggregated, built in, custom, and then 404. */
function passToServer(
  parts: DispatchParts,
  request: AuthenticatedRequest,
  to: AggregatedService,
): void {
  const { servers, documents } = parts.aggregation ?? {};
  passedOn(request);
  if (servers === undefined || request.info.at !== '') {
    const { group, version } = to;
    const name = group === '' ? version : `${group}/${version}`;
    return request.reply(statusAnswer(badRequest(`${name} ${OF_ELSEWHERE}`)));
  }
  // A list of resources waits for no server: it is kept, also while the server is away.
  const kept = isListOf(request, to) ? documents?.listOf(to) : undefined;
  if (kept !== undefined) {
    // As client-go says it of the aggregated form, where `freshness` tells.
    if (kept === 'stale') request.warn(`stale GroupVersion discovery: ${to.group}/${to.version}`);
    return routed(parts, request);
  }
  answerLater(request, servers.proxy(request, to));
}

/** Whether the request is for `/apis/GROUP/VERSION` itself. */
function isListOf({ method, info }: AuthenticatedRequest, { group, path }: AggregatedService) {
  if (method !== 'GET' || group === '') return false;
  return info.path === path || info.path === `${path}/`;
}

function onward(parts: DispatchParts, request: AuthenticatedRequest): void {
  const { moment } = request;
  const served = servedAt(parts, request);
  if (served === undefined) return passToPeer(parts, request);
  const refused = refusal(request, served);
  if (refused !== undefined) return request.reply(refused);
  const isWrite = isStored(served) && !isConnect(request, served) && !isRead(parts, request);
  if (parts.isReadOnly === true && isWrite) {
    request.responseHeaders['Allow'] = 'GET';
    return request.reply(statusAnswer(methodNotAllowed('this server is read-only')));
  }
  if (served.deprecation !== undefined) warnOfDeprecation(request, served.deprecation);
  const { storage } = served.definition;
  // What is never stored has no past, and is told as it is now.
  const gone =
    moment === undefined || !isStored(served)
      ? undefined
      : goneBefore(parts.context, storage, moment);
  if (gone !== undefined) return request.reply(statusAnswer(gone));
  return passOn(parts.registryOf(storage), { type: 'resourceRequest', request, served });
}

/** What this server does not serve at all may be served by another one of this log; else it is answered as no resource. */
function passToPeer(parts: DispatchParts, request: AuthenticatedRequest): void {
  const { info, moment } = request;
  const isElsewhere = info.isResourceRequest && info.at === '';
  if (!isElsewhere || parts.lookup(info, moment) !== undefined) return routed(parts, request);
  const answer = parts.aggregation?.peers?.proxy(request);
  if (answer === undefined) return routed(parts, request);
  passedOn(request);
  answerLater(request, answer);
}

/** undefined: the path is none of a resource, or of one that is not served. */
function servedAt(
  { lookup }: DispatchParts,
  { info, moment }: AuthenticatedRequest,
): ServedResource | undefined {
  // The prefix `proxy` has been gone since 1.10.
  if (!info.isResourceRequest || info.verb === 'proxy') return undefined;
  // Authorization passes over slashes in front, and no router does.
  if (info.path.startsWith('//')) return undefined;
  const served = lookup(info, moment);
  // Of a custom resource, a subresource that is none is refused by its own name.
  if (served?.custom !== undefined) return served;
  return served !== undefined && hasSubresource(served, info.subresource) ? served : undefined;
}

function readPast(parts: DispatchParts, request: AuthenticatedRequest): void {
  const { at } = request.info;
  // About rights of today, whatever the moment is, so no user learns from it which moments there are.
  if (isReview(parts, request)) return onward(parts, request);
  if (!isRead(parts, request)) {
    request.responseHeaders['Allow'] = 'GET';
    const message = `the control plane as of ${at} is read-only: below /at/ nothing can be written`;
    return request.reply(statusAnswer(methodNotAllowed(message)));
  }
  const found = findMoment(parts.context, at).then((moment) => {
    if (!moment.ok) {
      // kubectl asks for discovery first, and of an error there it shows the code alone; of a
      // warning it shows the words.
      if (!request.info.isResourceRequest) request.warn(moment.status.message ?? '');
      request.reply(statusAnswer(moment.status));
      return;
    }
    request.readAt(moment.version, moment.time);
    onward(parts, request);
  });
  found.catch((error: unknown) => request.reply(statusAnswer(internalError(error))));
  // The history answers when what it was told last is on disk.
}

/**
 * Whether nothing would be written. A dry run reads: with it `kubectl diff` and
 * `apply --dry-run=server` ask what would become of an object of then. A delete is none, since the
 * body may say otherwise than the query; nor is what is posted to be answered and never stored.
 */
function isRead(parts: DispatchParts, request: AuthenticatedRequest): boolean {
  const { info, method, query } = request;
  if (method === 'GET' || method === 'HEAD') return true;
  const served = servedAt(parts, request);
  if (served === undefined || !isDryRun(query)) return false;
  if (info.verb === 'create') return info.subresource === '' && isStored(served);
  return info.verb === 'update' || info.verb === 'patch';
}

/**
 * Whether it asks about users and rights, as k9s does before it shows anything. Nothing is written; a custom
 * resource of these groups is stored, and so is none.
 */
function isReview(parts: DispatchParts, request: AuthenticatedRequest): boolean {
  const { verb, apiGroup } = request.info;
  if (verb !== 'create' || !REVIEW_GROUPS.has(apiGroup)) return false;
  const served = servedAt(parts, request);
  return served !== undefined && !isStored(served);
}

const REVIEW_GROUPS: ReadonlySet<string> = new Set([
  'authentication.k8s.io',
  'authorization.k8s.io',
]);

function isDryRun(query: string): boolean {
  const values = queryValues(query, 'dryRun');
  return values.length > 0 && values.every((value) => value === 'All');
}

function isStored({ facts }: ServedResource): boolean {
  return facts.verbs.includes('watch');
}

function routed({ route }: DispatchParts, request: AuthenticatedRequest): void {
  const answer = route(request) ?? statusAnswer(pageNotFound());
  if (!(answer instanceof Promise)) return request.reply(answer);
  answerLater(request, answer);
}

/** It comes from outside the actors, so it does not have to come back as a message. */
function answerLater(request: AuthenticatedRequest, answer: Promise<Answer>): void {
  answer.then(
    (value) => request.reply(value),
    (error: unknown) => request.reply(statusAnswer(internalError(error))),
  );
}

function hasSubresource({ facts }: ServedResource, subresource: string): boolean {
  return subresource === '' || facts.subresources.some(({ name }) => name === subresource);
}

function refusal(request: AuthenticatedRequest, served: ServedResource): Answer | undefined {
  const { info, method } = request;
  if (!isAddressed(info, served)) return statusAnswer(nothingAt(info, served));
  if (isConnect(request, served)) return undefined;
  request.answersAs(sortOf(served, info));
  const custom = served.custom === undefined ? undefined : customRefusal(request, served);
  if (custom !== undefined) return statusAnswer(custom);
  // `watch` may stand in the path of any method.
  const isWrongWatch = info.verb === 'watch' && method !== 'GET';
  // Custom resources are behind no router, for which HEAD is another method than GET.
  const isUnrouted = method === 'HEAD' && served.custom === undefined;
  if (!isAllowed(info.verb, info, served) || isUnrouted || isWrongWatch) {
    const allowed = verbsOf(served, info).filter((verb) => isAllowed(verb, info, served));
    // What is posted and never stored has no path of one object, and none across namespaces.
    if (allowed.length === 0 && served.custom === undefined) return statusAnswer(pageNotFound());
    request.responseHeaders['Allow'] = [...new Set(allowed.map(methodOf))].join(', ');
    return statusAnswer(methodNotAllowed());
  }
  const routed = served.custom === undefined ? routerRefusal(request) : undefined;
  if (routed !== undefined) return statusAnswer(routed);
  if (request.accepted !== undefined) return undefined;
  // A handler looks at the form of its answer, and warns before.
  if (served.deprecation !== undefined) warnOfDeprecation(request, served.deprecation);
  return statusAnswer(notAcceptable(servedMedia(request).objects));
}

/**
 * Whether it ends in a connection with a node, a pod or a service, by one of the methods that may. Such an
 * answer has no form that could be refused: it is the backend's.
 */
function isConnect({ info, method }: AuthenticatedRequest, served: ServedResource): boolean {
  const facts = served.facts.subresources.find(({ name }) => name === info.subresource);
  if (facts?.kind.endsWith('Options') !== true || info.verb === 'watch') return false;
  return (facts.name === 'proxy' ? PROXIED_METHODS : STREAM_METHODS).has(method);
}

const STREAM_METHODS: ReadonlySet<string> = new Set(['GET', 'POST']);
const PROXIED_METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
]);

/** Is text, which its route says it gives; its handler knows the forms of objects alone. */
const POD_LOG = 'pods/log';

/** Subresources whose storage upstream makes no tables of, though they are objects with rows. */
const UNTABLED: ReadonlySet<string> = new Set([
  ...['namespaces/finalize', 'pods/ephemeralcontainers', 'pods/resize', 'resourceclaims/status'],
  ...['apiservices/status', 'certificatesigningrequests/approval'],
  'customresourcedefinitions/status',
  POD_LOG,
]);

/** What is posted and never stored is no table, and custom resources are no protobuf. */
function sortOf(served: ServedResource, info: RequestInfo): GivenSort {
  if (served.custom !== undefined) return 'custom';
  if (info.subresource !== '' && UNTABLED.has(`${info.resource}/${info.subresource}`)) {
    return 'untabled';
  }
  return verbsOf(served, info).every((verb) => verb === 'create') ? 'untabled' : 'any';
}

/** Custom resources are behind no router: there the handlers themselves say so. */
function routerRefusal(request: AuthenticatedRequest): Status | undefined {
  const { info, headers, accepted } = request;
  const unconsumed = info.verb === 'patch' ? routedPatch(request) : undefined;
  if (unconsumed !== undefined) return unconsumed;
  // Whatever was understood is among what the router knows, but for this one.
  if (accepted !== undefined && headers['accept']?.includes('application/*') !== true) {
    return undefined;
  }
  const isListed = info.verb === 'list' || info.verb === 'watch';
  const { lists, objects } = servedMedia(request);
  const isLog = `${info.resource}/${info.subresource}` === POD_LOG;
  const produced = isListed ? lists : objects;
  return routedAccept(headers, isLog ? ['text/plain', ...produced] : produced);
}

/** What a path leads to that goes on behind a subresource: for custom resources, to a subresource that they have not. */
function nothingAt({ parts, name }: RequestInfo, { custom, facts }: ServedResource): Status {
  return custom !== undefined && parts.length > PARTS_MAX ? notFound(facts, name) : pageNotFound();
}

/** Whether there is such a path at all: objects with a scope are only reachable in it. */
function isAddressed(info: RequestInfo, served: ServedResource): boolean {
  const { namespace, parts } = info;
  if (parts[1] === '') return false;
  // What stands behind `proxy` is the backend's own path.
  if (parts.length > PARTS_MAX && info.subresource !== 'proxy') return false;
  if (served.definition.namespaced) return namespace !== '' || parts.length === 1;
  return namespace === '' || isNamespaceItself(info);
}

/**
 * `/namespaces/a` is the namespace, which info.namespace names as well; `/namespaces/a/namespaces`
 * is nothing, and was authorized by the rules of the namespace `a`.
 */
function isNamespaceItself({ apiPrefix, resource, path, parts }: RequestInfo): boolean {
  const segments = splitPath(path);
  const head = apiPrefix === 'api' ? 2 : 3;
  const before = segments[head] === 'watch' ? head + 1 : head;
  return resource === 'namespaces' && segments.length === before + parts.length;
}

/** Whether it can be done at this path: to one object, to those of a namespace, or to all. */
function isAllowed(verb: string, info: RequestInfo, served: ServedResource): boolean {
  if (!verbsOf(served, info).includes(verb)) return false;
  if (info.subresource !== '') return true;
  // The old way to watch one object has its name in the path.
  const isObject = info.parts.length > 1 && verb !== 'watch';
  if (COLLECTION_VERBS.has(verb) === isObject) return false;
  if (isObject || !served.definition.namespaced || info.namespace !== '') return true;
  return verb === 'list' || verb === 'watch';
}

function verbsOf({ facts }: ServedResource, { subresource }: RequestInfo): readonly string[] {
  if (subresource === '') return facts.verbs;
  return facts.subresources.find(({ name }) => name === subresource)?.verbs ?? [];
}

const METHODS: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

function methodOf(verb: string): string {
  return METHODS[verb] ?? 'GET';
}
