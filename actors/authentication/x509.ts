/**
 * Knows users by their client certificate: the common name is the user, the organizations are
 * the groups, and a name of Kubernetes' own the uid. A certificate that does not verify, expired ones included, is refused even where
 * anonymous users are let in.
 *
 * Connections outlive many requests, so what a certificate says is worked out once for each;
 * only whether it still verifies is asked every time, of the authorities of that moment. TLS has no
 * say in it.
 *
 * In Kubernetes: apiserver/pkg/authentication/request/x509.
 */
import { createHash } from 'node:crypto';
import type { RegularExpression } from '../../api/meta/regular-expression.ts';
import type { ClientCertificate } from '../request/request-line.ts';
import type { CertificateMeters } from './authentication-meters.ts';
import type { AuthorityPool } from './authority-pool.ts';
import {
  identified,
  refused,
  UNKNOWN,
  type Authentication,
  type Authenticator,
} from './authenticator.ts';
import { CREDENTIAL_ID } from './extra-keys.ts';
import { isOfAnotherSite } from './page-origin.ts';

interface CertificateOptions {
  /** Hears of those that are shown. */
  readonly meters?: CertificateMeters | undefined;
  /** Of pages of other sites that may show them on a WebSocket. */
  readonly allowedOrigins?: readonly RegularExpression[] | undefined;
}

/** @param authorities those that are believed just now. */
export function x509Authenticator(
  authorities: Pick<AuthorityPool, 'problemOf'>,
  { meters, allowedOrigins = [] }: CertificateOptions = {},
): Authenticator {
  const known = new WeakMap<ClientCertificate, Authentication>();
  return {
    authenticate(request) {
      const certificate = request.connection.clientCertificate();
      if (certificate === undefined) return UNKNOWN;
      if (isOfAnotherSite(request, allowedOrigins)) return refused(OF_ANOTHER_SITE);
      const { expiry } = certificate;
      if (expiry !== undefined) meters?.certificateShown(expiry - request.receivedAt);
      const problem = authorities.problemOf(certificate);
      if (problem !== '') {
        return refused(`verifying the client certificate failed: ${problem}`);
      }
      let answer = known.get(certificate);
      if (answer === undefined) {
        answer = identify(certificate);
        known.set(certificate, answer);
      }
      return answer;
    },
  };
}

const OF_ANOTHER_SITE = 'a page of another site shows the client certificate of its user';

function identify({ raw, commonName, organizations, uid }: ClientCertificate): Authentication {
  if (commonName === '') return UNKNOWN;
  const fingerprint = createHash('sha256').update(raw).digest('hex');
  return identified({
    name: commonName,
    uid: uid ?? '',
    groups: organizations,
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  });
}
