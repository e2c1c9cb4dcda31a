/**
 * Defaults of a TokenRequest, which is posted to a service account's `token`: an hour.
 *
 * In Kubernetes: SetDefaults_TokenRequestSpec, pkg/apis/authentication/v1.
 */
import type { TokenRequest } from '../../../generated/kinds/authentication-v1.ts';

const EXPIRATION_SECONDS = 3600;

export function setTokenRequestDefaults(request: TokenRequest): void {
  request.spec.expirationSeconds ??= EXPIRATION_SECONDS;
}
