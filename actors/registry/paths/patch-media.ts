/** The media types of patches. */
import { baseMediaType } from '../../../api/meta/base-media-type.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';

export const APPLY_PATCH = 'application/apply-patch+yaml';

/** Whether what is sent is a configuration to be applied. */
export function isApply(request: AuthenticatedRequest): boolean {
  return mediaTypeOf(request) === APPLY_PATCH;
}

/** The type without its parameters, in lower case. */
export function mediaTypeOf({ headers }: AuthenticatedRequest): string {
  return baseMediaType(String(headers['content-type'] ?? ''));
}
