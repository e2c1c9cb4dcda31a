/**
 * All that the server knows to tell users by, in upstream's order.
 *
 * In Kubernetes: Config.New, kubernetes/pkg/kubeapiserver/authenticator.
 */
import { anonymous } from './anonymous.ts';
import { withAuthenticatedGroup } from './authenticated-group.ts';
import type { Authenticator, TokenAuthenticator } from './authenticator.ts';
import { bearerTokenAuthenticator } from './bearer-token.ts';
import { unionAuthenticator } from './union-authenticator.ts';
import { websocketProtocolAuthenticator } from './websocket-protocol-token.ts';
import { x509Authenticator } from './x509.ts';

export interface ServerAuthenticatorOptions {
  /** Knows no token where no file was named: then every bearer token is a wrong one. */
  readonly tokens: TokenAuthenticator;
  readonly allowsAnonymous: boolean;
}

export function serverAuthenticator(options: ServerAuthenticatorOptions): Authenticator {
  const { tokens, allowsAnonymous } = options;
  // A bad certificate beside a good token is forgiven: the next one may still know the user.
  const proven = withAuthenticatedGroup(
    unionAuthenticator(
      [
        x509Authenticator(),
        bearerTokenAuthenticator(tokens),
        websocketProtocolAuthenticator(tokens),
      ],
      { stopsAtRefusal: false },
    ),
  );
  if (!allowsAnonymous) return proven;
  return unionAuthenticator([proven, anonymous], { stopsAtRefusal: true });
}
