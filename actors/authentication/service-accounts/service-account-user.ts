/** The user that a service account is. In Kubernetes: ServiceAccountInfo.UserInfo. */
import type { UserInfo } from '../../request/request.ts';
import { CREDENTIAL_ID, NODE_NAME, NODE_UID, POD_NAME, POD_UID } from '../extra-keys.ts';
import { serviceAccountGroups, serviceAccountUsername } from '../service-account-names.ts';
import type { TokenClaims } from './token-claims.ts';

type Named = Pick<TokenClaims, 'namespace' | 'account' | 'pod' | 'node' | 'id'>;

export function userOfClaims({ namespace, account, pod, node, id }: Named): UserInfo {
  const hasPod = pod !== undefined && pod.name !== '' && pod.uid !== '';
  const hasNode = node !== undefined && node.name !== '';
  return {
    name: serviceAccountUsername({ namespace, name: account.name }),
    uid: account.uid,
    groups: serviceAccountGroups(namespace),
    extra: {
      ...(id === '' ? {} : { [CREDENTIAL_ID]: [credentialId(id)] }),
      ...(hasNode ? { [NODE_NAME]: [node.name] } : {}),
      ...(hasNode && node.uid !== '' ? { [NODE_UID]: [node.uid] } : {}),
      ...(hasPod ? { [POD_NAME]: [pod.name], [POD_UID]: [pod.uid] } : {}),
    },
  };
}

/** As audits name a token. In Kubernetes: CredentialIDForJTI, apiserver/pkg/authentication/token/jwt. */
export function credentialId(tokenId: string): string {
  return `JTI=${tokenId}`;
}
