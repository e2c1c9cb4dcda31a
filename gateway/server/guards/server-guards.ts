/** The third phase of a server: who a request is from, what it may do, when it may, and what is written down of it. */
import type { ServeOptions } from '../../flags/serve-settings.ts';
import type { ServerLog } from '../log/server-log.ts';
import type { ServerViews } from '../views/server-views.ts';
import { startAudit, type ServerAudit } from './audit.ts';
import { measureAuthentication } from './authentication-figures.ts';
import { fairnessOf, type Fairness } from './fairness.ts';
import { guardsOf, type Guards, type GuardsOptions } from './guards.ts';
import { readTokenUsers } from './token-users.ts';

export interface ServerGuards {
  readonly guards: Guards;
  readonly fairness: Fairness;
  readonly auditing: ServerAudit;
}

/** @throws StartupError when the options, or files that they name, cannot be used. */
export async function startGuards(
  options: GuardsOptions & Pick<ServeOptions, 'audit' | 'fairness' | 'requests'>,
  { logger, faults, stopping }: ServerLog,
  { opened, metrics }: ServerViews,
): Promise<ServerGuards> {
  const { users, warnings } = await readTokenUsers(options.authentication.tokenAuthFile);
  for (const warning of warnings) logger.warn({}, warning);
  const guards = await guardsOf(options, { opened, users, logger, until: stopping.signal });
  metrics.text(() => guards.reloads.format() + guards.authorizationMeters.format());
  measureAuthentication(metrics, guards);
  return {
    guards,
    fairness: fairnessOf({ ...options.fairness, ...options.requests }, { opened, metrics }),
    auditing: await startAudit(
      { ...options.audit, ...options.egress },
      { logger, faults, metrics },
    ),
  };
}
