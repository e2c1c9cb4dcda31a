/** Which user the server takes the page for. */
import { sendJson } from './http.ts';

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

interface SelfReview {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

/** The user's name; '' for none. A token that the server does not take any more is forgotten. @throws {ApiProblem} */
export async function askForUser(): Promise<string> {
  const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const review = await sendJson<SelfReview>('POST', REVIEWS, kind, '');
  return review.status?.userInfo?.username ?? '';
}
