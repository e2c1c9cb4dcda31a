/**
 * The fork behind the hall: which room is this request for? A resource's registry, one of the
 * paths that are no resources, or nobody.
 *
 * What is not served answers 404 or 405, as kube-apiserver does.
 */
import {
  internalError,
  methodNotSupported,
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

function refusal({ info, accepted }: AuthenticatedRequest, served: ServedResource) {
  if (!verbsOf(served, info.subresource).includes(info.verb)) {
    return statusAnswer(methodNotSupported(served.facts, info.verb));
  }
  const { namespaced } = served.definition;
  // A cluster-scoped object must not be reachable through a namespace, nor the other way round.
  if (!namespaced && info.namespace !== '' && served.facts.resource !== 'namespaces') {
    return statusAnswer(pageNotFound());
  }
  if (
    namespaced &&
    info.namespace === '' &&
    info.name !== '' &&
    info.verb !== 'list' &&
    info.verb !== 'watch'
  ) {
    return statusAnswer(pageNotFound());
  }
  if (namespaced && info.namespace === '' && info.verb === 'create') {
    return statusAnswer(methodNotSupported(served.facts, info.verb));
  }
  return accepted === undefined ? statusAnswer(notAcceptable(MEDIA_TYPES)) : undefined;
}

function verbsOf({ facts }: ServedResource, subresource: string): readonly string[] {
  if (subresource === '') return facts.verbs;
  return facts.subresources.find(({ name }) => name === subresource)?.verbs ?? [];
}
