/**
 * The signer of --service-account-signing-endpoint. The server does not start before it has given its
 * keys, and has said how long its tokens live.
 *
 * In Kubernetes: completeServiceAccountOptions, pkg/controlplane/apiserver/options.
 */
import type { KeyRing } from '../../actors/authentication/jwt/key-ring.ts';
import { ExternalSigner } from '../../actors/authentication/service-accounts/external-signer.ts';
import type { TokenIssuerOptions } from '../../actors/authentication/service-accounts/token-issuer.ts';
import type { Logger } from '../../actors/request/logger.ts';
import { formatGoDuration } from '../../api/meta/go-duration.ts';
import { StartupError } from '../process/startup-error.ts';
import { systemClock } from '../process/system-clock.ts';
import { SignerFigures } from './signer-figures.ts';

const TOKEN_SECONDS_MIN = 600;
/** What kubelets ask for; a token that lives on has to live on longer. */
const KUBELET_TOKEN_SECONDS = 3_607;
const YEAR_SECONDS = 365 * 24 * 3_600;

export interface ExternalSignerParts {
  readonly keys: KeyRing;
  readonly logger: Logger;
  /** Aborted when the server stops. */
  readonly until: AbortSignal;
}

export interface SigningLimits {
  readonly figures: SignerFigures | undefined;
  readonly issuing: TokenIssuerOptions;
}

/**
 * @param path undefined: there is none, and nothing changes.
 * @param issuing as flags say it. @returns within what the signer allows.
 * @throws StartupError when it does not answer, or flags ask for more than it allows.
 */
export async function signedElsewhere(
  path: string | undefined,
  issuing: TokenIssuerOptions,
  { keys, logger, until }: ExternalSignerParts,
): Promise<SigningLimits> {
  if (path === undefined) return { figures: undefined, issuing };
  const figures = new SignerFigures(systemClock);
  const { SignerClient } = await import('./signer-client.ts');
  const called = figures.called.bind(figures);
  const service = new SignerClient(path, systemClock, called);
  const signer = new ExternalSigner({ service, keys, clock: systemClock, meters: figures, logger });
  const settingUp = 'while setting up external-jwt-signer';
  try {
    await attempt(`${settingUp}: while initially filling key cache`, () => signer.begin());
    const seconds = await attempt(settingUp, () => service.maxTokenSeconds());
    const limited = within(seconds, issuing, logger);
    keys.signer = signer;
    until.addEventListener('abort', () => {
      signer.close();
    });
    return { figures, issuing: limited };
  } catch (error) {
    signer.close();
    throw error;
  }
}

async function attempt<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartupError(`--service-account-signing-endpoint: ${what}: ${why}`, { cause });
  }
}

function within(seconds: number, issuing: TokenIssuerOptions, logger: Logger): TokenIssuerOptions {
  if (seconds < TOKEN_SECONDS_MIN) {
    throw new StartupError(
      `max token life supported by external-jwt-signer (${String(seconds)}s) is less than ` +
        `acceptable (min ${String(TOKEN_SECONDS_MIN)}s)`,
    );
  }
  const { lifetimeSecondsMax: asked, extendsLifetime } = issuing;
  const shown = (one: number): string => formatGoDuration(one * 1_000);
  if (asked > seconds) {
    throw new StartupError(
      'service-account-max-token-expiration cannot be set longer than the token expiration ' +
        `supported by service-account-signing-endpoint: ${shown(asked)} > ${shown(seconds)}`,
    );
  }
  const lifetimeSecondsMax = asked === 0 ? seconds : asked;
  if (extendsLifetime && lifetimeSecondsMax < KUBELET_TOKEN_SECONDS) {
    const longest = shown(lifetimeSecondsMax);
    logger.warn({ longest }, 'tokens of kubelets cannot live on: the signer allows too little');
  }
  const extendedSeconds = Math.min(YEAR_SECONDS, seconds);
  return { ...issuing, lifetimeSecondsMax, extendedSeconds };
}
