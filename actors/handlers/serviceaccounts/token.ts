/**
 * The `token` subresource: makes a token for a service account, for some audiences, for some time,
 * bound to a pod, a secret or a node if that is asked. Nothing is stored: a token is good because of
 * its signature, and as long as what it is bound to is there.
 *
 * In Kubernetes: TokenREST, registry/core/serviceaccount/storage.
 */
import { items } from '../../../api/json/go-values.ts';
import type { Pod } from '../../../api/generated/kinds/core-v1.ts';
import type { TokenRequest } from '../../../api/generated/kinds/authentication-v1.ts';
import { formatTime } from '../../../api/meta/clock.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import { otherThan } from '../../../api/meta/identity.ts';
import type { KubeObject, ObjectOf } from '../../../api/meta/object-meta.ts';
import {
  type Status,
  badRequest,
  conflict,
  internalError,
  invalid,
  notFound,
} from '../../../api/meta/status.ts';
import { type FieldErrors, invalidValue } from '../../../api/field/field-errors.ts';
import { asKind } from '../../../projections/objects/stored-kinds.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { credentialId } from '../../authentication/service-accounts/service-account-user.ts';
import type { ObjectClaim } from '../../authentication/service-accounts/token-claims.ts';
import type {
  IssuedToken,
  TokenIssuer,
  TokenIssuerOptions,
} from '../../authentication/service-accounts/token-issuer.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { type PostAnswerer, type Posted, virtualAnswer } from '../../registry/paths/post.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import { pathOf } from '../../../streams/event.ts';

const TOKEN_REQUEST = { group: 'authentication.k8s.io', resource: 'TokenRequest' };
const ISSUED_CREDENTIAL = 'authentication.kubernetes.io/issued-credential-id';
const LIFETIME_SECONDS_MIN = 600;
const LIFETIME_SECONDS_MAX = 2 ** 32;
/** What kubelet asks for: an hour and a little, by which such requests are known. */
const KUBELET_LIFETIME_SECONDS = 3_607;
const EXTENDED_LIFETIME_SECONDS = 365 * 24 * 3_600;

type PostedRequest = Posted<ObjectOf<TokenRequest>>;

/** POST to `serviceaccounts/NAME/token`. */
export function requestToken(issuer: TokenIssuer): PostAnswerer<ObjectOf<TokenRequest>> {
  return (posted) => {
    const { request, context } = posted;
    // Tokens are believed by the main control plane, which knows nothing of what is in a fork.
    if (request.info.fork !== '') {
      return statusAnswer(badRequest('tokens are not made in a fork'));
    }
    const { namespace, name } = request.info;
    const stored = context.objects.get('core/serviceaccounts', pathOf(namespace, name));
    const account = stored === undefined ? undefined : claimOf(parsedObject(stored));
    const problem = requestProblem(posted, account);
    if (problem !== undefined) return statusAnswer(problem);
    const binding = bindingOf(posted);
    if ('status' in binding) return statusAnswer(binding.status);
    return issued(posted, issuer, { account: account ?? { name, uid: '' }, ...binding });
  };
}

interface Binding {
  readonly pod?: ObjectClaim;
  readonly secret?: ObjectClaim;
  readonly node?: ObjectClaim;
}

function requestProblem(
  posted: PostedRequest,
  account: ObjectClaim | undefined,
): Status | undefined {
  const { object, served, request } = posted;
  const { name } = request.info;
  const given = otherThan(name, object.metadata, 'name') ?? '';
  if (given !== '') {
    const why = 'must match the service account name if specified';
    return invalid(TOKEN_REQUEST, name, [invalidValue('metadata.name', given, why)]);
  }
  if (account === undefined) return notFound(served.facts, name);
  const uid = otherThan(account.uid, object.metadata, 'uid') ?? '';
  if (uid !== '') {
    const why = `the UID in the token request (${uid}) does not match the UID of the service account (${account.uid})`;
    return conflict(TOKEN_REQUEST, name, why);
  }
  const errors = validate(object);
  return errors.length === 0 ? undefined : invalid(TOKEN_REQUEST, '', errors);
}

/** In Kubernetes: ValidateTokenRequest, pkg/apis/authentication/validation. */
function validate({ spec }: TokenRequest): FieldErrors {
  const field = 'spec.expirationSeconds';
  const seconds = spec.expirationSeconds ?? 0;
  if (seconds < LIFETIME_SECONDS_MIN) {
    return [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')];
  }
  if (seconds > LIFETIME_SECONDS_MAX) {
    return [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
  }
  return [];
}

/** What the token is to be bound to, or why it cannot be. */
function bindingOf(posted: PostedRequest): Binding | { readonly status: Status } {
  const { boundObjectRef } = posted.object.spec;
  if (boundObjectRef === null) return {};
  const { apiVersion = '', kind = '', name = '', uid: asked = '' } = boundObjectRef;
  const { group, version } = groupVersionOf(apiVersion);
  const resource = group === '' ? BOUND_RESOURCES.get(kind) : undefined;
  if (resource === undefined) {
    const type = `${group}/${version}, Kind=${kind}`;
    return { status: badRequest(`cannot bind token to object of type ${type}`) };
  }
  const namespace = kind === 'Node' ? '' : posted.request.info.namespace;
  const object = read(posted, resource, namespace, name);
  if (object === undefined) return { status: notFound({ group: '', resource }, name) };
  const bound =
    kind === 'Pod'
      ? podBinding(posted, asKind('v1/pods', `core/${resource}`, object))
      : plainBinding(kind, object);
  if ('status' in bound) return bound;
  const { uid } = claimOf(object);
  if (asked === '' || asked === uid) return bound;
  const why =
    `the UID in the bound object reference (${asked}) does not match the UID in record. ` +
    'The object might have been deleted and then recreated';
  return { status: conflict({ group: '', resource: kind }, name, why) };
}

const BOUND_RESOURCES: ReadonlyMap<string, string> = new Map([
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
  ['Node', 'nodes'],
]);

function plainBinding(kind: string, object: KubeObject): Binding {
  return kind === 'Node' ? { node: claimOf(object) } : { secret: claimOf(object) };
}

function podBinding(
  posted: PostedRequest,
  pod: ObjectOf<Pod>,
): Binding | { readonly status: Status } {
  const { name } = posted.request.info;
  if (pod.spec.serviceAccountName !== name) {
    const message = `cannot bind token for serviceaccount ${goQuote(name)} to pod running with different serviceaccount name.`;
    return { status: badRequest(message) };
  }
  const { nodeName = '' } = pod.spec;
  if (nodeName === '') return { pod: claimOf(pod) };
  const node = read(posted, 'nodes', '', nodeName);
  // The name of a node that is not there yet still says where the pod runs.
  const nodeClaim = node === undefined ? { name: nodeName, uid: '' } : claimOf(node);
  return { pod: claimOf(pod), node: nodeClaim };
}

function issued(
  posted: PostedRequest,
  issuer: TokenIssuer,
  bound: Binding & { readonly account: ObjectClaim },
): Answer | Promise<Answer> {
  const { context, request, object } = posted;
  const { options } = issuer;
  const { spec } = object;
  const named = items(spec.audiences);
  const audiences = [...(named.length === 0 ? options.audiences : named)];
  const asked = Number(spec.expirationSeconds ?? 0);
  const seconds = shortened(asked, options);
  if (seconds !== asked) {
    request.warn(
      `requested expiration of ${String(asked)} seconds shortened to ${String(seconds)} seconds`,
    );
  }
  const isExtended =
    options.extendsLifetime &&
    bound.pod !== undefined &&
    seconds === KUBELET_LIFETIME_SECONDS &&
    audiences.every((one) => options.audiences.includes(one));
  const now = context.clock.now();
  const { extendedSeconds = EXTENDED_LIFETIME_SECONDS } = options;
  const issuing = issuer.issue({
    ...bound,
    namespace: request.info.namespace,
    audiences,
    now,
    lifetimeSeconds: isExtended ? extendedSeconds : seconds,
    warnAfterSeconds: isExtended ? seconds : undefined,
  });
  const { account } = bound;
  const answered = {
    posted,
    account,
    spec: { ...spec, audiences, expirationSeconds: seconds },
    now,
  };
  if (!(issuing instanceof Promise)) return answerWith(issuing, answered);
  return issuing.then(
    (token) => answerWith(token, answered),
    (error: unknown) => notGenerated(error instanceof Error ? error.message : String(error)),
  );
}

interface AnsweredToken {
  readonly posted: PostedRequest;
  readonly account: ObjectClaim;
  readonly spec: JsonObject & { readonly expirationSeconds: number };
  /** When it was made, in milliseconds since 1970. */
  readonly now: number;
}

function notGenerated(why: string): Answer {
  return statusAnswer(internalError(`failed to generate token: ${why}`));
}

function answerWith(
  token: IssuedToken | undefined,
  { posted, account, spec, now }: AnsweredToken,
): Answer {
  if (token === undefined) return notGenerated('there is no key to sign with');
  const { request, served, object } = posted;
  request.annotate(ISSUED_CREDENTIAL, credentialId(token.id));
  const { namespace } = request.info;
  const { name, uid } = account;
  const facts = served.facts.subresources.find((one) => one.name === 'token');
  if (facts === undefined) throw new Error('no facts of the subresource token');
  const spoken = { ...served, facts: { ...served.facts, typeId: facts.typeId } };
  const expiry = formatTime(now + spec.expirationSeconds * 1_000);
  return virtualAnswer(spoken, 201, {
    ...object,
    metadata: { ...object.metadata, name, namespace, uid, creationTimestamp: formatTime(now) },
    spec,
    status: { token: token.token, expirationTimestamp: expiry },
  });
}

function shortened(seconds: number, { lifetimeSecondsMax }: TokenIssuerOptions): number {
  return lifetimeSecondsMax > 0 ? Math.min(seconds, lifetimeSecondsMax) : seconds;
}

function read(
  { context }: PostedRequest,
  resource: string,
  namespace: string,
  name: string,
): KubeObject | undefined {
  const stored = context.objects.get(`core/${resource}`, pathOf(namespace, name));
  return stored === undefined ? undefined : parsedObject(stored);
}

function claimOf({ metadata }: KubeObject): ObjectClaim {
  const { name = '', uid = '' } = metadata;
  return { name, uid };
}

function groupVersionOf(apiVersion: string) {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}
