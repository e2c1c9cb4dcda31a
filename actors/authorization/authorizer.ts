/**
 * An authorizer says what users may do: what it is asked, what it answers, and the sentence in which
 * a refusal is told.
 *
 * In Kubernetes: apiserver/pkg/authorization/authorizer; Aggregate, apimachinery/pkg/util/errors.
 */
import type { AuthenticatedRequest, RequestInfo, UserInfo } from '../request/request.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { htmlSafe } from '../request/message-text.ts';

/**
 * What is asked: may this user do this? For hypothetical requests (access reviews) `request` is
 * made up.
 */
export interface Attributes {
  /** The user behind impersonation. */
  readonly user: UserInfo;
  /** The verb, the resource and the name, or the path. */
  readonly request: RequestInfo;
}

/** `noOpinion` lets the next authorizer speak; at the end of the chain it means no. */
export type Decision =
  | { readonly verdict: 'allow'; readonly reason: string }
  | { readonly verdict: 'deny' | 'noOpinion'; readonly reason: string; readonly error?: Error };

export interface Authorizer {
  /** Decides at once where it can; gives a promise only where it has to ask a webhook. */
  authorize(attributes: Attributes): Decision | Promise<Decision>;
}

/** With no reason: for authorizers that have none to tell. */
export const ALLOW: Decision = { verdict: 'allow', reason: '' };

/** The next authorizer decides; behind the last one it is a refusal. */
export const NO_OPINION: Decision = { verdict: 'noOpinion', reason: '' };

/** The decision of an authorizer that failed instead of deciding. */
export function undecided(cause: unknown): Decision {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  return { verdict: 'noOpinion', reason: '', error };
}

/** The question that a request itself asks. */
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

/** The ways in which an operator can say what users may do, as `--authorization-mode` names them. */
export const AUTHORIZATION_MODES = [
  'ABAC',
  'AlwaysAllow',
  'AlwaysDeny',
  'Node',
  'RBAC',
  'Webhook',
] as const;

/** What --authorization-mode may name. */
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

/** Narrows the text of a flag. */
export function isAuthorizationMode(text: string): text is AuthorizationMode {
  return (AUTHORIZATION_MODES as readonly string[]).includes(text);
}

/** Each once: alone as it is, several in brackets. */
export function aggregatedText(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
