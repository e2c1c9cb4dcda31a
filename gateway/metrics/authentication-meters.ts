/**
 * Counts and measures how users are told apart. Label sets are few: users are shown by kind, issuers
 * by a hash, and there are as many of those as the operator has named.
 *
 * In Kubernetes: metrics of apiserver/pkg/endpoints/filters and its impersonation,
 * pkg/authentication/token/cache, plugin/pkg/authenticator/token/oidc and
 * pkg/server/options/authenticationconfig.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type {
  AuthenticationMeters,
  AuthenticationResult,
} from '../../actors/authentication/authentication-meters.ts';
import { hashText } from '../../api/meta/hash-text.ts';
import { ConfigurationFigures } from './configuration-figures.ts';
import { formatLabels } from './exposition.ts';
import { bucketBounds } from './histogram.ts';
import { LabelledCounts, LabelledHistograms } from './named-figures.ts';

/** From a millisecond to sixteen seconds, twice as long each. */
const DOUBLING = bucketBounds(Array.from({ length: 15 }, (_, at) => 2 ** at / 1_000));
const DEFAULT = bucketBounds([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);
const FROM_A_MILLISECOND = bucketBounds([
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]);

/** From half an hour to a year. */
const LIFETIMES = bucketBounds([
  0, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 345_600, 604_800, 2_592_000, 7_776_000,
  15_552_000, 31_104_000,
]);
const MS = 1_000;

/** The labels of those that may be shown by name: upstream's own. */
const SHOWN_USERS: ReadonlyMap<string, string> = new Map(
  ['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default'].map(
    (username) => [username, formatLabels({ username })],
  ),
);

const RESULTS = {
  success: 'result="success"',
  failure: 'result="failure"',
  error: 'result="error"',
} as const satisfies Record<AuthenticationResult, string>;
const HIT = 'status="hit"';
const MISS = 'status="miss"';

interface FetchedKeys {
  /** Seconds since 1970. */
  success: number | undefined;
  failure: number | undefined;
  hash: string;
}

/** Of one server, all of its control planes together. */
export class ServerAuthenticationMeters implements AuthenticationMeters {
  readonly #clock: Pick<Clock, 'now'>;
  /** What this server is called. */
  readonly #server: string;
  readonly #users = new LabelledCounts();
  readonly #attempts = new LabelledCounts();
  readonly #durations = new LabelledHistograms(DOUBLING);
  readonly #cacheRequests = new LabelledCounts();
  readonly #cacheDurations = new LabelledHistograms(DEFAULT);
  readonly #fetches = new LabelledCounts();
  readonly #active = new LabelledCounts();
  readonly #judgements = new LabelledHistograms(FROM_A_MILLISECOND);
  readonly #fetchedKeys = new Map<string, FetchedKeys>();
  readonly #configuration: ConfigurationFigures;
  readonly #impersonations = new LabelledHistograms(DOUBLING);
  readonly #impersonationChecks = new LabelledHistograms(DOUBLING);
  readonly #certificates = new LabelledHistograms(LIFETIMES);

  /** @param server what this server is called, as `apiserver-…`. */
  constructor(clock: Pick<Clock, 'now'>, server: string) {
    this.#clock = clock;
    this.#server = hashText(server);
    this.#configuration = new ConfigurationFigures('authentication', server, clock);
  }

  authenticated(result: AuthenticationResult, username: string, durationMs: number): void {
    const labels = RESULTS[result];
    this.#attempts.add(labels);
    this.#durations.observe(labels, durationMs / MS);
    if (result === 'success') this.#users.add(userLabel(username));
  }

  hit(): void {
    this.#cacheRequests.add(HIT);
    this.#cacheDurations.observe(HIT, 0);
  }

  missed(durationMs: number): void {
    this.#cacheRequests.add(MISS);
    this.#cacheDurations.observe(MISS, durationMs / MS);
  }

  fetching(): (isDecided: boolean) => void {
    this.#active.add('status="in_flight"');
    return (isDecided) => {
      this.#active.add('status="in_flight"', -1);
      this.#fetches.add(isDecided ? 'status="ok"' : 'status="error"');
    };
  }

  waiting(): () => void {
    this.#active.add('status="blocked"');
    return () => {
      this.#active.add('status="blocked"', -1);
    };
  }

  judged(issuer: string, isGood: boolean, durationMs: number): void {
    const labels = { result: isGood ? 'success' : 'failure', jwt_issuer_hash: hashText(issuer) };
    this.#judgements.observe(formatLabels(labels), durationMs / MS);
  }

  keysFetched(issuer: string, keySet: string | undefined): void {
    const nothing = { success: undefined, failure: undefined, hash: '' };
    const fetched = this.#fetchedKeys.get(issuer) ?? nothing;
    this.#fetchedKeys.set(issuer, fetched);
    const seconds = this.#clock.now() / MS;
    if (keySet === undefined) {
      fetched.failure = seconds;
      return;
    }
    fetched.success = seconds;
    fetched.hash = hashText(keySet);
  }

  forgotten(issuer: string): void {
    this.#fetchedKeys.delete(issuer);
  }

  inForce(text: string): void {
    this.#configuration.inForce(text);
  }

  reloaded(isGood: boolean): void {
    this.#configuration.reloaded(isGood);
  }

  certificateShown(remainingMs: number): void {
    this.#certificates.observe('', remainingMs / MS);
  }

  attempted(mode: string, isAllowed: boolean, durationMs: number): void {
    this.#impersonations.observe(impersonationLabels(mode, isAllowed), durationMs / MS);
  }

  asked(mode: string, isAllowed: boolean, durationMs: number): void {
    this.#impersonationChecks.observe(impersonationLabels(mode, isAllowed), durationMs / MS);
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return [
      this.#attempts.format('authentication_attempts', 'counter', 'Attempts to tell users apart.'),
      this.#users.format(
        'authenticated_user_requests',
        'counter',
        'Requests of users that are known, by what they are called.',
      ),
      this.#durations.format(
        'authentication_duration_seconds',
        'How long it takes to tell users apart.',
      ),
      this.#formatCache(),
      this.#judgements.format(
        'apiserver_authentication_jwt_authenticator_latency_seconds',
        'How long tokens of issuers take that are not remembered.',
      ),
      this.#formatKeys(),
      this.#configuration.format(),
      this.#formatImpersonation(),
      this.#certificates.format(
        'apiserver_client_certificate_expiration_seconds',
        'How long certificates of clients still are good when they are shown.',
      ),
    ].join('');
  }

  #formatCache(): string {
    const name = 'authentication_token_cache';
    return [
      this.#active.format(`${name}_active_fetch_count`, 'gauge', 'Tokens that are asked about.'),
      this.#fetches.format(`${name}_fetch_total`, 'counter', 'Times that a token was asked about.'),
      this.#cacheDurations.format(
        `${name}_request_duration_seconds`,
        'How long tokens take, by whether they are remembered.',
      ),
      this.#cacheRequests.format(
        `${name}_request_total`,
        'counter',
        'Tokens that were shown, by whether they are remembered.',
      ),
    ].join('');
  }

  #formatKeys(): string {
    const times = new LabelledCounts();
    const infos = new LabelledCounts();
    for (const [issuer, { success, failure, hash }] of this.#fetchedKeys) {
      const both = { jwt_issuer_hash: hashText(issuer), apiserver_id_hash: this.#server };
      if (success !== undefined) times.set(formatLabels({ result: 'success', ...both }), success);
      if (failure !== undefined) times.set(formatLabels({ result: 'failure', ...both }), failure);
      if (hash !== '') infos.set(formatLabels({ ...both, hash }), 1);
    }
    const name = 'apiserver_authentication_jwt_authenticator_jwks_fetch_last';
    return (
      times.format(`${name}_timestamp_seconds`, 'gauge', 'When keys of an issuer were asked for.') +
      infos.format(`${name}_key_set_info`, 'gauge', 'Always 1; a label is the hash of the keys.')
    );
  }

  #formatImpersonation(): string {
    const attempts = 'Attempts to be taken for another user';
    const checks = 'Questions whether a user may be taken for another';
    const name = 'apiserver_impersonation';
    return [
      this.#impersonations.formatCounts(`${name}_attempts_total`, `${attempts}.`),
      this.#impersonations.format(`${name}_attempts_duration_seconds`, `${attempts}, in seconds.`),
      this.#impersonationChecks.formatCounts(`${name}_authorization_attempts_total`, `${checks}.`),
      this.#impersonationChecks.format(
        `${name}_authorization_attempts_duration_seconds`,
        `${checks}, in seconds.`,
      ),
    ].join('');
  }
}

const OTHER = 'username="other"';
const EMAIL = 'username="email_id"';

function userLabel(username: string): string {
  return SHOWN_USERS.get(username) ?? (username.includes('@') ? EMAIL : OTHER);
}

function impersonationLabels(mode: string, isAllowed: boolean): string {
  return formatLabels({ mode, decision: isAllowed ? 'allowed' : 'denied' });
}
