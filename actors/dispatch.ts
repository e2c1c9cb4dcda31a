/**
 * The fork behind the hall: which room is this request for? A resource's registry, one of the
 * paths that are no resources, or nobody.
 *
 * What is not served answers 404 or 405, as kube-apiserver does.
 */
import {
  internalError,
  methodNotAllowed,
  notAcceptable,
  pageNotFound,
} from '../api/meta/status.ts';
import type { ServedResource } from '../api/scheme/resource-definition.ts';
import { passOn, type Behavior, type Fate, type Ref } from './actor.ts';
import type { ResourceRequest } from './registry/registry.ts';
import {
  statusAnswer,
  type Answer,
  type AuthenticatedRequest,
  type RequestInfo,
} from './request.ts';

export interface DispatchParts {
  readonly lookup: (info: RequestInfo) => ServedResource | undefined;
  /** The registry of what is stored under this key. */
  readonly registryOf: (storage: string) => Ref<ResourceRequest>;
  /** Paths that are no resources; undefined when nobody knows the path. */
  readonly route: (request: AuthenticatedRequest) => Answer | Promise<Answer> | undefined;
}

/** What this server can give, in upstream's order: named by 406. */
const MEDIA_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

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
      const { info } = request;
      if (!info.isResourceRequest) return routed(parts, request);
      const served = parts.lookup(info);
      if (served === undefined || !hasSubresource(served, info.subresource)) {
        return routed(parts, request);
      }
      const refused = refusal(request, served);
      if (refused !== undefined) return request.reply(refused);
      const { storage } = served.definition;
      return passOn(parts.registryOf(storage), { type: 'resourceRequest', request, served });
    },

    fault(request, error): Fate {
      return request.reply(statusAnswer(internalError(error)));
    },
  };
}

function routed({ route }: DispatchParts, request: AuthenticatedRequest): Fate {
  const answer = route(request) ?? statusAnswer(pageNotFound());
  if (!(answer instanceof Promise)) return request.reply(answer);
  answer.then(
    (value) => request.reply(value),
    (error: unknown) => request.reply(statusAnswer(internalError(error))),
  );
  // It comes from outside the rooms, so it does not have to come back as a message.
  return 'waiting' as Fate;
}

function hasSubresource({ facts }: ServedResource, subresource: string): boolean {
  return subresource === '' || facts.subresources.some(({ name }) => name === subresource);
}

function refusal(request: AuthenticatedRequest, served: ServedResource): Answer | undefined {
  const { info, accepted, method } = request;
  if (!isAddressed(info, served)) return statusAnswer(pageNotFound());
  // `watch` may stand in the path of any method.
  const isWrongWatch = info.verb === 'watch' && method !== 'GET';
  if (!isAllowed(info.verb, info, served) || method === 'HEAD' || isWrongWatch) {
    const allowed = verbsOf(served, info).filter((verb) => isAllowed(verb, info, served));
    request.responseHeaders['Allow'] = [...new Set(allowed.map(methodOf))].join(', ');
    return statusAnswer(methodNotAllowed());
  }
  return accepted === undefined ? statusAnswer(notAcceptable(MEDIA_TYPES)) : undefined;
}

/** Whether there is such a path at all: objects with a scope are only reachable in it. */
function isAddressed({ namespace, name, parts }: RequestInfo, served: ServedResource): boolean {
  if (parts.length > PARTS_MAX || parts[1] === '') return false;
  if (served.definition.namespaced) return namespace !== '' || parts.length === 1;
  // `/namespaces/a` is the namespace itself, which info.namespace names as well.
  return namespace === '' || (served.facts.resource === 'namespaces' && namespace === name);
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
