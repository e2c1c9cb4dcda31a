/** Those at the door of the hall: who says who is asking, and who says what he may do. */
import { serverAuthenticator } from '../../actors/authentication/server-authenticator.ts';
import { tokenFileAuthenticator } from '../../actors/authentication/token-file.ts';
import { serverAuthorizer } from '../../actors/authorization/server-authorizer.ts';
import type { UserInfo } from '../../actors/request.ts';
import type { Guards } from './control-plane.ts';
import type { OpenGallery } from './open-gallery.ts';
import type { ServeOptions } from './serve-settings.ts';

export interface GuardsParts {
  /** The main control plane's: forks are guarded by its rules. */
  readonly opened: OpenGallery;
  /** Of the token file. */
  readonly users: ReadonlyMap<string, UserInfo>;
}

export function guardsOf(options: ServeOptions, { users }: GuardsParts): Guards {
  return {
    authenticator: serverAuthenticator({
      tokens: tokenFileAuthenticator(users),
      allowsAnonymous: options.anonymousAuth,
    }),
    authorizer: serverAuthorizer(options.authorizationMode),
  };
}
