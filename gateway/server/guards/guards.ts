/** The guards of a server: the authenticator says which user asks, the authorizer what the user may do. */
import { hostname } from 'node:os';
import type { Logger } from '../../../actors/request/logger.ts';
import type { UserInfo } from '../../../actors/request/request.ts';
import { authenticationOf } from './authentication.ts';
import { ServerAuthorizationMeters } from '../../metrics/authorization-meters.ts';
import { ConfigurationFigures } from '../../metrics/configuration-figures.ts';
import { authorizerOf } from './authorization.ts';
import type { Guards } from '../control-plane/control-plane.ts';
import type { OpenViews } from '../views/open-views.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { serverIdentity } from '../../process/server-identity.ts';
import { systemClock } from '../../process/system-clock.ts';

export interface GuardsParts {
  /** The main control plane's: forks are guarded by its rules. */
  readonly opened: OpenViews;
  /** Of the token file. */
  readonly users: ReadonlyMap<string, UserInfo>;
  readonly logger: Logger;
  /** Aborted when the server stops: files are not followed any more. */
  readonly until: AbortSignal;
}

export async function guardsOf(
  options: ServeOptions,
  { opened, users, ...parts }: GuardsParts,
): Promise<Guards> {
  const server = serverIdentity(hostname());
  const reloads = new ConfigurationFigures('authorization', server, systemClock);
  const authorizationMeters = new ServerAuthorizationMeters(() => performance.now());
  const { followed } = opened;
  const needs = { followed, reloads, meters: authorizationMeters, ...parts };
  return {
    ...(await authenticationOf(options, { opened, users, ...parts })),
    authorizer: await authorizerOf(options, needs),
    authorizationMeters,
    reloads,
  };
}
