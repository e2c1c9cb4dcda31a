/** Service accounts: who pods are. In Kubernetes: registry/core/serviceaccount. */
import { stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { defineKind } from '../../kind.ts';
import { isMissing, objectsAt } from '../../rules/value-validation.ts';

const MOUNTABLE_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

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

function keepOnlySecretNames(account: KubeObject): void {
  if (isMissing(account['secrets'])) return;
  account['secrets'] = objectsAt(account, 'secrets').map((secret) => ({
    name: stringAt(secret, 'name'),
  }));
}

function warnOfMountableSecrets(account: KubeObject): readonly string[] {
  const { annotations } = account.metadata;
  if (annotations === undefined || !Object.hasOwn(annotations, MOUNTABLE_SECRETS)) return [];
  return [
    `metadata.annotations[${MOUNTABLE_SECRETS}]: deprecated in v1.32+; ` +
      'prefer separate namespaces to isolate access to mounted secrets',
  ];
}
