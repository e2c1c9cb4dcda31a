/**
 * The three reviews that ask whether a user may do something: any user anywhere, any user in one
 * namespace, or the client itself (`kubectl auth can-i`). They differ in the user that is asked about and in
 * what they may say; the answer comes from the authorizer of the server itself.
 *
 * In Kubernetes: registry/authorization/{,local,self}subjectaccessreview.
 */
import type { SubjectAccessReview } from '../../api/generated/kinds/authorization-v1.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { invalid } from '../../api/meta/status.ts';
import type { FieldErrors } from '../../api/field/field-errors.ts';
import { type Authorizer, type Decision, undecided } from '../authorization/authorizer.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import { whole } from '../request/large-work.ts';
import type { UserInfo } from '../request/request.ts';
import { type PostAnswerer, type Posted, virtualAnswer } from '../registry/paths/post.ts';
import { questionOf } from './review-attributes.ts';
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from '../../api/kinds/authorization/validation.ts';

/** Upstream has lost the kind when it names it here, and so its messages begin with a dot. */
const REVIEW = { group: 'authorization.k8s.io', resource: '' };

export function reviewAccess(authorizer: Authorizer): PostAnswerer<SubjectAccessReview> {
  return reviewing(authorizer, validateSubjectAccessReview, subjectOf);
}

export function reviewLocalAccess(authorizer: Authorizer): PostAnswerer<SubjectAccessReview> {
  return reviewing(authorizer, validateLocalSubjectAccessReview, subjectOf);
}

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
    const errors = validate(object);
    if (errors.length > 0) return statusAnswer(invalid(REVIEW, '', errors));
    const question = await whole(posted.request.bodySizeBytes, questionOf(object.spec));
    const { request, problems } = question;
    const answer = authorizer.authorize({ user: subject(posted), request });
    const decision = await (answer instanceof Promise ? answer.catch(undecided) : answer);
    return reviewed(posted, decision, problems);
  };
}

function reviewed(
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
