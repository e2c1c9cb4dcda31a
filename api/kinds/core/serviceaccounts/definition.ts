/**
 * Service accounts: the identities of pods, and the defaults of a TokenRequest, which is posted to
 * `token` of one: an hour.
 *
 * In Kubernetes: registry/core/serviceaccount; SetDefaults_TokenRequestSpec,
 * pkg/apis/authentication/v1.
 */
import { items } from '../../../json/go-values.ts';
import type { ServiceAccount } from '../../../generated/kinds/core-v1.ts';
import { defineKind } from '../../kind.ts';
import { isMissing } from '../../rules/value-validation.ts';
import type { TokenRequest } from '../../../generated/kinds/authentication-v1.ts';

const MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

/** The kind ServiceAccount, with the subresource `token`. */
export const serviceAccounts = defineKind('v1/serviceaccounts', {
  actions: ['token'],
  rules: {
    returnsDeletedObject: true,
    prepareForCreate: keepOnlySecretNames,
    prepareForUpdate: keepOnlySecretNames,
    warningsOnCreate: warnOfMountableSecrets,
    warningsOnUpdate: (account, old) =>
      warnOfMountableSecrets(old).length > 0 ? [] : warnOfMountableSecrets(account),
  },
});

function keepOnlySecretNames(account: ServiceAccount): void {
  if (isMissing(account.secrets)) return;
  account.secrets = items(account.secrets).map((secret) => ({
    name: secret.name ?? '',
  }));
}

function warnOfMountableSecrets(account: ServiceAccount): readonly string[] {
  const { annotations } = account.metadata;
  if (annotations === undefined || !Object.hasOwn(annotations, MOUNTABLE_SECRETS)) return [];
  return [
    `metadata.annotations[${MOUNTABLE_SECRETS}]: deprecated in v1.32+; ` +
      'prefer separate namespaces to isolate access to mounted secrets',
  ];
}

const EXPIRATION_SECONDS = 3600;

/** SetDefaults_TokenRequestSpec: a token lives an hour. */
export function setTokenRequestDefaults(request: TokenRequest): void {
  request.spec.expirationSeconds ??= EXPIRATION_SECONDS;
}
