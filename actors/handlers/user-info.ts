/** A user as reviews show one. In Kubernetes: UserInfo, authentication.k8s.io/v1. */
import type { JsonObject } from '../../api/json/json.ts';
import type { UserInfo } from '../request/request.ts';

/** The JSON of the user; lists are copied, and all four fields are there. */
export function shownUser({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    uid,
    groups: [...groups],
    // Keys are the user's own; entries, unlike assignment, take any of them as it is.
    extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
  };
}
