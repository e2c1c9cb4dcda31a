/**
 * The third phase of a server: which user a request is from, what that user may do, when the request has
 * its turn, and what is written down of it.
 */
import { hostname } from 'node:os';
import { readFile } from 'node:fs/promises';

import type { Authorizer } from '../../../actors/authorization/authorizer.ts';
import type { RuleResolver } from '../../../actors/authorization/rule-resolver.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import type { UserInfo } from '../../../actors/request/request.ts';
import { ServerAuthorizationMeters } from '../../metrics/authorization-meters.ts';
import { ConfigurationFigures } from '../../metrics/configuration-figures.ts';
import { serverIdentity } from '../../process/server-identity.ts';
import { systemClock } from '../../process/system-clock.ts';
import type { OpenViews } from '../views/open-views.ts';
import {
  type Authentication,
  authenticationOf,
  type AuthenticationSections,
} from './authentication.ts';
import { authorizerOf } from './authorization.ts';
import { parseTokenFile } from '../../../actors/authentication/token-file.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { FlowControl } from '../../../actors/flow-control/flow-control.ts';
import { measureFlowControl } from '../../metrics/flow-control-figures.ts';
import { flowControlRoute } from '../../routes/flow-control.ts';
import type { Route } from '../../routes/route.ts';
import type { AuditSettings } from '../../flags/sections/audit-settings.ts';
import type { FeatureSettings } from '../../flags/sections/lifecycle-settings.ts';
import type { FairnessSettings, RequestSettings } from '../../flags/sections/request-settings.ts';
import type { ServerLog } from '../log/server-log.ts';
import type { ServerViews } from '../views/server-views.ts';
import { type ServerAudit, startAudit } from './audit.ts';

/** Asked for every request, and by reviews. */
export interface Guards extends Authentication {
  /** All modes in order, and what each can list. */
  readonly authorizer: Authorizer & RuleResolver;
  /** Figures of files that are exchanged while the server runs. */
  readonly reloads: ConfigurationFigures;
  /** Figures of decisions and of webhooks. */
  readonly authorizationMeters: ServerAuthorizationMeters;
}

interface GuardsSections extends AuthenticationSections {
  readonly features: Pick<FeatureSettings, 'featureGates'>;
}

/** What the flags say of everything that judges a request before it is answered. */
interface GuardsPhaseSections extends GuardsSections {
  readonly requests: RequestSettings;
  readonly audit: AuditSettings;
  readonly fairness: FairnessSettings;
}

interface GuardsParts {
  /** The main control plane's: forks are guarded by its rules. */
  readonly opened: OpenViews;
  /** Of the token file. */
  readonly users: ReadonlyMap<string, UserInfo>;
  readonly logger: Logger;
  /** Aborted when the server stops: files are not followed any more. */
  readonly until: AbortSignal;
}

/** @throws StartupError */
async function guardsOf(
  options: GuardsSections,
  { opened, users, ...parts }: GuardsParts,
): Promise<Guards> {
  const server = serverIdentity(hostname());
  const reloads = new ConfigurationFigures('authorization', server, systemClock);
  const authorizationMeters = new ServerAuthorizationMeters(() => performance.now());
  const { followed } = opened;
  const { featureGates } = options.features;
  const isOn = featureGates.isOn.bind(featureGates);
  const needs = { followed, reloads, meters: authorizationMeters, isOn, ...parts };
  return {
    ...(await authenticationOf(options, { opened, users, ...parts })),
    authorizer: await authorizerOf({ ...options.authorization, ...options.egress }, needs),
    authorizationMeters,
    reloads,
  };
}

interface TokenUsers {
  readonly users: ReadonlyMap<string, UserInfo>;
  /** For the log: lines that had no effect. */
  readonly warnings: readonly string[];
}

/** No users where there is no file. @throws StartupError that names the file and the line. */
export async function readTokenUsers(path: string | undefined): Promise<TokenUsers> {
  if (path === undefined) return { users: new Map(), warnings: [] };
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read --token-auth-file ${path}: ${systemProblem(error)}`, {
      cause: error,
    });
  }
  const parsed = parseTokenFile(text);
  if (!parsed.ok) throw new StartupError(`--token-auth-file ${path}: ${parsed.problem}`);
  return { users: parsed.users, warnings: parsed.warnings.map((one) => `${path}: ${one}`) };
}

function measureAuthentication(
  metrics: Metrics,
  { authenticationMeters: meters, counts, signerFigures }: Authentication,
): void {
  metrics.text(() => meters.format());
  if (signerFigures !== undefined) metrics.text(() => signerFigures.format());
  const counter = (name: string, help: string, read: () => number): void => {
    metrics.counter(`serviceaccount_${name}_total`, help, read);
  };
  counter('valid_tokens', 'Uses of tokens of pods that are exchanged in time.', () => counts.valid);
  counter(
    'stale_tokens',
    'Uses of tokens of pods that should have been exchanged.',
    () => counts.stale,
  );
  counter('legacy_tokens', 'Uses of tokens that lie in secrets.', () => counts.legacy);
  counter(
    'legacy_manual_token_uses',
    'Uses of tokens in secrets that were asked for.',
    () => counts.legacyManual,
  );
  counter(
    'legacy_auto_token_uses',
    'Uses of tokens in secrets that were not asked for.',
    () => counts.legacyAutomatic,
  );
  counter(
    'invalid_legacy_auto_token_uses',
    'Uses of tokens in secrets that were put out of use.',
    () => counts.legacyInvalid,
  );
}

interface Fairness {
  /** undefined: requests are only counted. */
  readonly flowControl: FlowControl | undefined;
  /** What can be seen of it below `/debug`. */
  readonly route: Route;
}

/** @throws StartupError when no request could be served at all. */
function fairnessOf(
  options: FairnessSettings & Pick<RequestSettings, 'requestTimeoutMs'>,
  { opened, metrics }: { readonly opened: OpenViews; readonly metrics: Metrics },
): Fairness {
  if (!options.enablePriorityAndFairness) return { flowControl: undefined, route: nowhere };
  const serverSeats = options.maxRequestsInFlight + options.maxMutatingRequestsInFlight;
  if (serverSeats === 0) {
    throw new StartupError(
      '--max-requests-inflight and --max-mutating-requests-inflight must not both be 0 with --enable-priority-and-fairness',
    );
  }
  const { followed, objects } = opened;
  const { requestTimeoutMs } = options;
  const clock = systemClock;
  const thread = { now: () => performance.now(), nextTurn: setImmediate };
  const parts = { followed, objects, clock, serverSeats, requestTimeoutMs, thread };
  const flowControl = new FlowControl(parts);
  measureFlowControl(metrics, flowControl);
  return { flowControl, route: flowControlRoute(flowControl) };
}

function nowhere(): undefined {
  return undefined;
}

export interface ServerGuards {
  readonly guards: Guards;
  readonly fairness: Fairness;
  /** The policy, the backends and their figures. */
  readonly auditing: ServerAudit;
}

/** @throws StartupError when the options, or files that they name, cannot be used. */
export async function startGuards(
  options: GuardsPhaseSections,
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
