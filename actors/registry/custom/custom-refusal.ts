/**
 * What is refused of a request for a custom resource before objects are looked up, in the words
 * of the server that upstream has for them, which has no router and asks in another order.
 *
 * In Kubernetes: ServeHTTP of crdHandler, apiextensions-apiserver/pkg/apiserver.
 */
import {
  badRequest,
  methodNotAllowed,
  notFound,
  pageNotFound,
  type Status,
} from '../../../api/meta/status.ts';
import { formatGroupResource } from '../../../api/meta/status.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { untakenCustomPatch } from '../stages/read-patch.ts';

/** Of many namespaces at once. */
const ACROSS_NAMESPACES: ReadonlySet<string> = new Set(['list', 'watch']);
const CHANGING: ReadonlySet<string> = new Set(['update', 'patch']);
const SUBRESOURCE_VERBS: ReadonlySet<string> = new Set(['get', 'update', 'patch']);

export function customRefusal(
  request: AuthenticatedRequest,
  { facts, definition }: ServedResource,
): Status | undefined {
  const { info } = request;
  const { verb, subresource, name } = info;
  const isOfMany = ACROSS_NAMESPACES.has(verb);
  if (definition.namespaced && info.namespace === '' && !isOfMany) return pageNotFound();
  const about = { group: facts.group, resource: facts.resource };
  if (subresource === '') {
    if (!facts.verbs.includes(verb)) return notSupported(verb, about);
    const untaken = verb === 'patch' ? untakenCustomPatch(request) : undefined;
    if (untaken !== undefined) return untaken;
    if (name === '' && CHANGING.has(verb)) return badRequest('name must be provided');
  } else {
    if (!facts.subresources.some((one) => one.name === subresource)) return notFound(about, name);
    if (!SUBRESOURCE_VERBS.has(verb)) return notSupported(verb, about);
    if (verb === 'patch') return untakenCustomPatch(request);
  }
  return undefined;
}

/** In Kubernetes: NewMethodNotSupported, apimachinery/pkg/api/errors. */
function notSupported(verb: string, about: { group: string; resource: string }): Status {
  const kind = goQuote(formatGroupResource(about));
  const status = methodNotAllowed(`${verb} is not supported on resources of kind ${kind}`);
  return { ...status, details: { group: about.group, kind: about.resource } };
}
