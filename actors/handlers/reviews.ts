/**
 * Reviews: questions about users, which are answered and never stored. The server's own authenticator and
 * authorizer answer them.
 */
import type {
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from '../../api/generated/kinds/authorization-v1.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import { badRequest, internalError, invalid } from '../../api/meta/status.ts';
import type { FieldErrors } from '../../api/field/field-errors.ts';
import { type Authorizer, type Decision, undecided } from '../authorization/authorizer.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import { doneInSlices, whole } from '../request/large-work.ts';
import type { Door, RoutedRequest, UserInfo } from '../request/request.ts';
import { receivedRequest } from '../request/server-request.ts';
import { type PostAnswerer, type Posted, virtualAnswer } from '../registry/paths/post.ts';
import { questionOf } from './review-attributes.ts';
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from '../../api/kinds/authorization/validation.ts';
import { formatTime } from '../../api/meta/clock.ts';
import type {
  PathRule,
  ResolvedRules,
  ResourceRule,
  RuleResolver,
} from '../authorization/rule-resolver.ts';
import type { TokenReview } from '../../api/generated/kinds/authentication-v1.ts';
import {
  type Authentication,
  type Authenticator,
  refused,
} from '../authentication/authenticator.ts';
import { resolveRequestInfo } from '../request/request-info.ts';

/** Upstream has lost the kind when it names it here, and so its messages begin with a dot. */
const REVIEW = { group: 'authorization.k8s.io', resource: '' };

/**
 * Reviews of access ask whether a user may do something: any user anywhere, any user in one namespace, or
 * the client itself (`kubectl auth can-i`). They differ in the user that is asked about and in what they
 * may say; the answer comes from the authorizer of the server itself.
 *
 * In Kubernetes: registry/authorization/{,local,self}subjectaccessreview.
 */
export function reviewAccess(authorizer: Authorizer): PostAnswerer<SubjectAccessReview> {
  return reviewing(authorizer, validateSubjectAccessReview, subjectOf);
}

/** LocalSubjectAccessReview: of a user in one namespace; see {@link reviewAccess}. */
export function reviewLocalAccess(authorizer: Authorizer): PostAnswerer<SubjectAccessReview> {
  return reviewing(authorizer, validateLocalSubjectAccessReview, subjectOf);
}

/** SelfSubjectAccessReview: of the client itself; see {@link reviewAccess}. */
export function reviewOwnAccess(authorizer: Authorizer): PostAnswerer<SubjectAccessReview> {
  return reviewing(authorizer, validateSelfSubjectAccessReview, ({ request }) => request.user);
}

function reviewing(
  authorizer: Authorizer,
  validate: (review: SubjectAccessReview) => FieldErrors,
  subject: (posted: Posted<SubjectAccessReview>) => UserInfo,
): PostAnswerer<SubjectAccessReview> {
  return async (posted) => {
    const { object } = posted;
    // The three kinds have this type in common; the review of oneself names no subject.
    const sizeBytes = posted.request.bodySizeBytes;
    const errors = await doneInSlices(sizeBytes, () => validate(object));
    if (errors.length > 0) return statusAnswer(invalid(REVIEW, '', errors));
    if (asksToWriteThePast(posted)) return accessAnswer(posted, PAST_IS_READ_ONLY, []);
    const question = await whole(sizeBytes, questionOf(object.spec));
    const { request, problems } = question;
    const answer = authorizer.authorize({ user: subject(posted), request });
    const decision = await (answer instanceof Promise ? answer.catch(undecided) : answer);
    return doneInSlices(sizeBytes, () => accessAnswer(posted, decision, problems));
  };
}

/** Below `/at/` a write is refused whatever the rules say, so a client that asks first is told. */
function asksToWriteThePast({ request, object }: Posted<SubjectAccessReview>): boolean {
  const verb = object.spec.resourceAttributes?.verb ?? '';
  return request.info.at !== '' && WRITING_VERBS.has(verb);
}

const WRITING_VERBS: ReadonlySet<string> = new Set([
  ...['create', 'update', 'patch', 'delete', 'deletecollection', '*'],
]);

const PAST_IS_READ_ONLY: Decision = {
  verdict: 'deny',
  reason: 'the past is read-only: below /at/ nothing can be written',
};

function accessAnswer(
  { served, object }: Posted<SubjectAccessReview>,
  decision: Decision,
  problems: readonly string[],
): Answer {
  const { verdict, reason } = decision;
  const error = verdict === 'allow' ? undefined : decision.error;
  const evaluationError = [...(error === undefined ? [] : [error.message]), ...problems].join('; ');
  const status: JsonObject = {
    allowed: verdict === 'allow',
    denied: verdict === 'deny',
    reason,
    evaluationError,
  };
  return virtualAnswer(served, 201, { ...object, status });
}

function subjectOf({ object }: Posted<SubjectAccessReview>): UserInfo {
  const { user: name = '', uid = '', groups = [], extra = {} } = object.spec;
  return { name, uid, groups, extra: extra as UserInfo['extra'] }; // Null is an empty list.
}

/**
 * SelfSubjectReview: the user for whom the server takes the client, as `kubectl auth whoami` asks. What the
 * client wrote into it does not matter.
 *
 * In Kubernetes: registry/authentication/selfsubjectreview.
 */
export function reviewSelf({ context, request, served, object }: Posted): Answer {
  const { kind, apiVersion } = object;
  return virtualAnswer(served, 201, {
    kind,
    apiVersion,
    metadata: { creationTimestamp: formatTime(context.clock.now()) },
    status: { userInfo: shownUser(request.user) },
  });
}

/**
 * SelfSubjectRulesReview: what the client may do in a namespace, as `kubectl auth can-i --list` asks. The
 * answer repeats nothing of the question; 400 where it names no namespace.
 *
 * In Kubernetes: registry/authorization/selfsubjectrulesreview.
 */
export function reviewRules(
  resolver: RuleResolver,
): PostAnswerer<ObjectOf<SelfSubjectRulesReview>> {
  return (posted) => {
    const { namespace = '' } = posted.object.spec;
    if (namespace === '') return statusAnswer(badRequest('no namespace on request'));
    const rules = resolver.rulesFor(posted.request.user, namespace);
    if (!(rules instanceof Promise)) return rulesAnswer(posted, rules);
    return rules.then((settled) => rulesAnswer(posted, settled));
  };
}

function rulesAnswer(
  { served, object }: Posted<ObjectOf<SelfSubjectRulesReview>>,
  rules: ResolvedRules,
): Answer {
  const { kind, apiVersion } = object;
  const status: JsonObject = {
    resourceRules: rules.resourceRules.map(shownResourceRule),
    nonResourceRules: rules.pathRules.map(shownPathRule),
    incomplete: rules.isIncomplete,
    evaluationError: rules.problem,
  };
  return virtualAnswer(served, 201, { kind, apiVersion, metadata: {}, status });
}

function shownResourceRule(rule: ResourceRule): JsonObject {
  return {
    verbs: [...rule.verbs],
    apiGroups: [...rule.apiGroups],
    resources: [...rule.resources],
    resourceNames: [...rule.resourceNames],
  };
}

function shownPathRule({ verbs, nonResourceURLs }: PathRule): JsonObject {
  return { verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] };
}

/** No client waits at it: such a request is never answered and has no body. */
const NO_DOOR: Door = {
  readBody() {
    throw new Error('a request that only carries a token has no body');
  },
  answer() {
    throw new Error('a request that only carries a token is not answered');
  },
};

/**
 * TokenReview: whom a bearer token belongs to. The token goes through the authenticator of the
 * server itself, as if a client had come with it and with nothing else.
 *
 * In Kubernetes: registry/authentication/tokenreview.
 *
 * @param own the audiences of this server, asked for where the review names none.
 */
export function reviewToken(
  authenticator: Authenticator,
  own: readonly string[],
): PostAnswerer<TokenReview> {
  return (posted) => {
    const { token = '', audiences: named = [] } = posted.object.spec;
    if (token === '') {
      return statusAnswer(badRequest('token is required for TokenReview in authentication'));
    }
    const audiences = named.length === 0 ? own : named;
    const answer = authenticator.authenticate(
      bearing(token),
      audiences.length === 0 ? undefined : audiences,
    );
    const finish = (settled: Authentication): Answer => tokenAnswer(posted, settled, audiences);
    return answer instanceof Promise ? answer.catch(refused).then(finish) : finish(answer);
  };
}

function tokenAnswer(
  { served, object }: Posted<TokenReview>,
  answer: Authentication,
  asked: readonly string[],
): Answer {
  if (answer.verdict === 'identified' && asked.length > 0) {
    // An authenticator that does not say for which audiences a token is cannot be believed that it is for those.
    const isMeant = answer.audiences?.some((one) => asked.includes(one)) ?? false;
    if (!isMeant) return statusAnswer(internalError('unable to validate audience for token'));
  }
  return virtualAnswer(served, 201, { ...object, status: statusOf(answer) });
}

function statusOf(answer: Authentication): JsonObject {
  if (answer.verdict === 'identified') {
    const { user, audiences = [] } = answer;
    return { authenticated: true, user: shownUser(user), audiences: [...audiences] };
  }
  return answer.verdict === 'refused' ? { error: answer.reason } : {};
}

function bearing(token: string): RoutedRequest {
  const request = receivedRequest(
    {
      method: 'POST',
      path: '/',
      query: '',
      headers: { authorization: `Bearer ${token}` },
      connection: { remoteAddress: '', clientCertificate: () => undefined },
      accepted: undefined,
      isWebSocket: false,
    },
    NO_DOOR,
  );
  return request.routedAs(resolveRequestInfo('POST', '/', ''));
}

/** The JSON of the user; lists are copied, and all four fields are there. */
function shownUser({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    uid,
    groups: [...groups],
    // Keys are the user's own; entries, unlike assignment, take any of them as it is.
    extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
  };
}
