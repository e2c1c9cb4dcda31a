/**
 * Puts authorization together, from flags or from a configuration file. The file is read anew when it
 * changes; one that cannot be used changes nothing, and the last good one stays in force.
 *
 * In Kubernetes: pkg/kubeapiserver/authorizer, with its reload.
 */
import { readFileSync } from 'node:fs';

import { abacAuthorizer, parseAbac } from '../../../actors/authorization/abac.ts';
import {
  alwaysAllow,
  alwaysDeny,
  countedAuthorizer,
  reloadableAuthorizer,
  serverAuthorizer,
} from '../../../actors/authorization/server-authorizer.ts';
import type { AuthorizationMeters } from '../../../actors/authorization/authorization-meters.ts';
import type { AuthorizationMode, Authorizer } from '../../../actors/authorization/authorizer.ts';
import {
  type ConfiguredAuthorizer,
  type ConfiguredWebhook,
  parseAuthorizationConfiguration,
} from '../../../actors/authorization/webhook/authorization-configuration.ts';
import { nodeAuthorizer } from '../../../actors/authorization/node/node-authorizer.ts';
import { nodeGraph } from '../../../actors/authorization/node/node-graph.ts';
import { rbacAuthorizer } from '../../../actors/authorization/rbac/rbac.ts';
import { rbacIndexOf } from '../../../actors/authorization/rbac/rbac-index.ts';
import type { RuleResolver } from '../../../actors/authorization/rule-resolver.ts';
import { webhookAuthorizer } from '../../../actors/authorization/webhook/webhook-authorizer.ts';
import { nodeRules } from '../../../actors/controllers/rbac/bootstrap-policy.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import { formatFieldErrors } from '../../../api/field/field-errors.ts';
import { reviewClient } from '../../authorization/review-post.ts';
import { parseYaml } from '../../negotiation/yaml-codec.ts';
import type { ConfigurationFigures } from '../../metrics/configuration-figures.ts';
import type { AuthorizationSettings } from '../../flags/sections/authorization-settings.ts';
import type { ProxyWay } from '../../outbound/egress/proxy-way.ts';
import type { EgressSettings } from '../../flags/sections/kubelet-settings.ts';
import type { OpenViews } from '../views/open-views.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { webhookAccess } from '../../configuration/kubeconfig-access.ts';
import type { FeatureGates } from '../../../actors/lifecycle/feature-gates.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { followFile } from '../../files/follow-files.ts';

type Member = Authorizer & RuleResolver;
type NamedWebhook = Extract<ConfiguredAuthorizer, { readonly type: 'Webhook' }>;

/** Of a webhook that is named by a flag. */
const WEBHOOK_TIMEOUT_MS = 30_000;

interface AuthorizerNeeds extends Pick<OpenViews, 'followed'> {
  /** Hears what became of the configuration file whenever it changed. */
  readonly reloads: ConfigurationFigures;
  readonly meters: AuthorizationMeters;
  readonly logger: Logger;
  /** Which features there are for nodes. */
  readonly isOn: FeatureGates['isOn'];
  /** Ends the looks at the configuration file. */
  readonly until: AbortSignal;
}

/**
 * @param followed of the main control plane: forks are guarded by its rules.
 * @throws StartupError when a file is missing or is no good.
 */
export async function authorizerOf(
  settings: AuthorizationSettings & EgressSettings,
  { followed, meters, isOn, ...needs }: AuthorizerNeeds,
): Promise<Member> {
  const made = new Map<AuthorizationMode, Member>();
  /** Those that are the same whatever is read anew. */
  const builtIn = (mode: Exclude<AuthorizationMode, 'Webhook'>): Member => {
    const known =
      made.get(mode) ??
      countedAuthorizer(
        builtInMember(mode, settings, { followed, isOn }),
        meters.decisionsOf(mode, mode.toLowerCase()),
      );
    made.set(mode, known);
    return known;
  };
  const member = async (one: ConfiguredAuthorizer): Promise<Member> =>
    one.type === 'Webhook'
      ? webhook(one, meters, settings.egressSelectorConfigFile?.controlPlane)
      : builtIn(one.type);
  const members = async (authorizers: readonly ConfiguredAuthorizer[]): Promise<Member> =>
    serverAuthorizer(await Promise.all(authorizers.map(member)));
  const { authorizationConfig: file } = settings;
  if (file === undefined) return members(authorizersOf(settings));
  const text = readText(file);
  const current = reloadableAuthorizer(await members(configured(file, text)));
  const replace = async (next: string): Promise<void> => {
    current.replace(await members(configured(file, next)));
  };
  followAuthorization({ file, text, replace, clock: systemClock, ...needs });
  return current;
}

/** Whether the mode is one of those that are asked at the start. @throws StartupError */
export function usesMode(settings: AuthorizationSettings, mode: AuthorizationMode): boolean {
  const { authorizationConfig: file } = settings;
  const used = file === undefined ? authorizersOf(settings) : configured(file, readText(file));
  return used.some(({ type }) => type === mode);
}

/** As the flags say it. */
function authorizersOf(settings: AuthorizationSettings): readonly ConfiguredAuthorizer[] {
  return settings.authorizationMode.map((type) => {
    if (type !== 'Webhook') return { type };
    const { authorizationWebhookConfigFile: kubeConfigFile } = settings;
    if (kubeConfigFile === undefined) {
      throw new StartupError(
        '--authorization-mode Webhook needs --authorization-webhook-config-file',
      );
    }
    const options: ConfiguredWebhook = {
      kubeConfigFile,
      version: settings.authorizationWebhookVersion,
      authorizedTtlMs: settings.authorizationWebhookCacheAuthorizedTtlMs,
      unauthorizedTtlMs: settings.authorizationWebhookCacheUnauthorizedTtlMs,
      timeoutMs: WEBHOOK_TIMEOUT_MS,
      onFailure: 'noOpinion',
    };
    return { type, name: 'webhook', webhook: options };
  });
}

function builtInMember(
  mode: Exclude<AuthorizationMode, 'Webhook'>,
  settings: AuthorizationSettings,
  { followed, isOn }: Pick<AuthorizerNeeds, 'followed' | 'isOn'>,
): Member {
  switch (mode) {
    case 'ABAC':
      return abacMember(settings.authorizationPolicyFile);
    case 'AlwaysAllow':
      return alwaysAllow;
    case 'AlwaysDeny':
      return alwaysDeny;
    case 'Node':
      return nodeAuthorizer({
        ...{ graph: nodeGraph(followed), rules: nodeRules(isOn) },
        hasPodCertificates: isOn('PodCertificateRequest'),
      });
    case 'RBAC':
      return rbacAuthorizer(rbacIndexOf(followed));
  }
}

function abacMember(file: string | undefined): Member {
  if (file === undefined) {
    throw new StartupError('--authorization-mode ABAC needs --authorization-policy-file');
  }
  const parsed = parseAbac(readText(file));
  if (parsed.ok) return abacAuthorizer(parsed.policies);
  throw new StartupError(`${file}, line ${String(parsed.line)}: ${parsed.message}`);
}

async function webhook(
  { type, name, webhook: { kubeConfigFile, ...options } }: NamedWebhook,
  meters: AuthorizationMeters,
  proxy: ProxyWay | undefined,
): Promise<Member> {
  const to = await webhookAccess(kubeConfigFile);
  const client = reviewClient({ ...to, proxy }, systemClock);
  const parts = { client, clock: systemClock, random: systemRandom, meters: meters.webhook(name) };
  return countedAuthorizer(webhookAuthorizer(parts, options), meters.decisionsOf(type, name));
}

function configured(file: string, text: string): readonly ConfiguredAuthorizer[] {
  const parsed = parseAuthorizationConfiguration(parsedYaml(file, text));
  if (parsed.ok) return parsed.authorizers;
  throw new StartupError(`${file}: ${formatFieldErrors(parsed.errors)}`);
}

function parsedYaml(file: string, text: string) {
  try {
    return parseYaml(Buffer.from(text));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartupError(`${file}: ${why}`, { cause: error });
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read ${file}: ${systemProblem(error)}`, { cause: error });
  }
}

const LOOK_MS = 2_000;

interface Followed {
  readonly file: string;
  /** What is in force. */
  readonly text: string;
  /** Puts another text in force. @throws when it is no good. */
  readonly replace: (text: string) => Promise<void>;
  readonly reloads: ConfigurationFigures;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends it. */
  readonly until: AbortSignal;
}

function followAuthorization({ replace, reloads, logger, ...followed }: Followed): void {
  const { file, text } = followed;
  reloads.inForce(text);
  followFile({
    ...followed,
    everyMs: LOOK_MS,
    async take(next) {
      await replace(next);
      reloads.inForce(next);
      reloads.reloaded(true);
      logger.info({ file }, 'the authorization configuration was read anew');
    },
    failed(error) {
      reloads.reloaded(false);
      logger.error({ err: error }, 'the authorization configuration was not read anew');
    },
  });
}
