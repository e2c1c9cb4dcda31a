/** What authorizers look at, and the sentence in which a refusal says it. */
import { goQuote, htmlSafe } from '../request/message-text.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { Attributes } from './authorizer.ts';

export function attributesOf(request: AuthenticatedRequest): Attributes {
  return { user: request.user, request: request.info };
}

/**
 * The sentence that opens a Forbidden message, worded as kube-apiserver words it:
 * `User "u" cannot get resource "pods" in API group "" in the namespace "n"`.
 */
export function describe({ user, request }: Attributes): string {
  const who = `User ${goQuote(user.name)} cannot ${request.verb}`;
  if (!request.isResourceRequest) return htmlSafe(`${who} path ${goQuote(request.path)}`);
  const { resource, subresource, apiGroup, namespace } = request;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where =
    namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return htmlSafe(`${who} resource ${goQuote(what)} in API group ${goQuote(apiGroup)} ${where}`);
}

/** All of the refusal, with what the authorizers had to say. */
export function refusalText(attributes: Attributes, reason: string): string {
  const sentence = describe(attributes);
  return reason === '' ? sentence : `${sentence}: ${reason}`;
}
