/**
 * Defaults of a TokenRequest, which is posted to a service account's `token`: an hour.
 *
 * In Kubernetes: SetDefaults_TokenRequestSpec, pkg/apis/authentication/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, structAt } from '../../default-field.ts';

const EXPIRATION_SECONDS = 3600;

export function setTokenRequestDefaults(request: JsonObject): void {
  setIfAbsent(structAt(request, 'spec'), 'expirationSeconds', EXPIRATION_SECONDS);
}
