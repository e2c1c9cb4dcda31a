/** What says which user a request comes from, and what that user may do. */
import { hostname } from 'node:os';
import type { Authorizer } from '../../../actors/authorization/authorizer.ts';
import type { RuleResolver } from '../../../actors/authorization/rule-resolver.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import type { UserInfo } from '../../../actors/request/request.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { ServerAuthorizationMeters } from '../../metrics/authorization-meters.ts';
import { ConfigurationFigures } from '../../metrics/configuration-figures.ts';
import { serverIdentity } from '../../process/server-identity.ts';
import { systemClock } from '../../process/system-clock.ts';
import type { OpenViews } from '../views/open-views.ts';
import { authenticationOf, type Authentication } from './authentication.ts';
import { authorizerOf } from './authorization.ts';

/** Asked for every request, and by reviews. */
export interface Guards extends Authentication {
  readonly authorizer: Authorizer & RuleResolver;
  readonly reloads: ConfigurationFigures;
  readonly authorizationMeters: ServerAuthorizationMeters;
}

export type GuardsOptions = Pick<ServeOptions, 'authentication' | 'authorization' | 'egress'>;

export interface GuardsParts {
  /** The main control plane's: forks are guarded by its rules. */
  readonly opened: OpenViews;
  /** Of the token file. */
  readonly users: ReadonlyMap<string, UserInfo>;
  readonly logger: Logger;
  /** Aborted when the server stops: files are not followed any more. */
  readonly until: AbortSignal;
}

/** @throws StartupError */
export async function guardsOf(
  options: GuardsOptions,
  { opened, users, ...parts }: GuardsParts,
): Promise<Guards> {
  const server = serverIdentity(hostname());
  const reloads = new ConfigurationFigures('authorization', server, systemClock);
  const authorizationMeters = new ServerAuthorizationMeters(() => performance.now());
  const { followed } = opened;
  const needs = { followed, reloads, meters: authorizationMeters, ...parts };
  return {
    ...(await authenticationOf(options, { opened, users, ...parts })),
    authorizer: await authorizerOf({ ...options.authorization, ...options.egress }, needs),
    authorizationMeters,
    reloads,
  };
}
