/**
 * The checks by which the server says whether it is alive and ready. Each has a name and is one
 * of `/healthz`, `/livez` and `/readyz` or of several.
 *
 * In Kubernetes: apiserver/pkg/server/healthz.
 */
import type { Clock } from '../../api/meta/clock.ts';

/** The paths without their slash. */
export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/** One thing that must be right for the server to be called well. */
export interface HealthCheck {
  /** As in its path: `ping`, `poststarthook/system-namespaces`. */
  readonly name: string;
  /** What is wrong; undefined when nothing is. Must not throw and must be quick. */
  problem(): string | undefined;
}

interface AddOptions {
  /** All three where nothing is said. */
  readonly endpoints?: readonly HealthEndpoint[];
  /** For that long from now on, `/livez` takes the check for passed: booting takes its time. */
  readonly livezGraceMs?: number;
}

interface CheckResult {
  readonly name: string;
  readonly problem: string | undefined;
  readonly isExcluded: boolean;
}

interface HealthReport {
  readonly endpoint: HealthEndpoint;
  readonly isHealthy: boolean;
  readonly results: readonly CheckResult[];
  /** What was to be excluded but is no check, sorted. */
  readonly unknownExclusions: readonly string[];
}

/** Of one check at one endpoint. */
interface HealthObservation {
  readonly name: string;
  readonly endpoint: HealthEndpoint;
  /** The last time. */
  isPassed: boolean;
  successes: number;
  errors: number;
}

interface Registered {
  readonly check: HealthCheck;
  readonly endpoints: readonly HealthEndpoint[];
  /** Milliseconds since 1970. */
  readonly livezGraceUntil: number;
}

const ALL_ENDPOINTS: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

const PING: HealthCheck = { name: 'ping', problem: () => undefined };

export class HealthChecks {
  readonly #clock: Clock;
  readonly #registered: Registered[] = [];
  readonly #seen = new Map<string, HealthObservation>();

  #becameReady: (() => void) | undefined;

  /**
   * Begins with `ping`, which always passes.
   *
   * @param becameReady told when `/readyz` passes for the first time.
   */
  constructor(clock: Clock, becameReady?: () => void) {
    this.#clock = clock;
    this.#becameReady = becameReady;
    this.add(PING);
  }

  add(check: HealthCheck, { endpoints = ALL_ENDPOINTS, livezGraceMs = 0 }: AddOptions = {}): void {
    const livezGraceUntil = this.#clock.now() + livezGraceMs;
    this.#registered.push({ check, endpoints, livezGraceUntil });
  }

  /** The paths of all checks, as `/livez/ping`, and the endpoints themselves. */
  paths(): string[] {
    const paths = ALL_ENDPOINTS.map((endpoint) => `/${endpoint}`);
    for (const { check, endpoints } of this.#registered) {
      for (const endpoint of endpoints) paths.push(`/${endpoint}/${check.name}`);
    }
    return paths;
  }

  report(endpoint: HealthEndpoint, excluded: readonly string[]): HealthReport {
    const unknown = new Set(excluded);
    const results: CheckResult[] = [];
    for (const registered of this.#registered) {
      if (!registered.endpoints.includes(endpoint)) continue;
      const { name } = registered.check;
      const isExcluded = excluded.includes(name);
      unknown.delete(name);
      const problem = isExcluded ? undefined : this.#problemOf(registered, endpoint);
      if (!isExcluded) this.#observe(name, endpoint, problem === undefined);
      results.push({ name, problem, isExcluded });
    }
    const isHealthy = results.every(({ problem }) => problem === undefined);
    if (isHealthy && endpoint === 'readyz') this.#tellReady();
    return { endpoint, isHealthy, results, unknownExclusions: [...unknown].sort() };
  }

  /** Whether all checks of the endpoint pass just now, without this being counted as asked. */
  passes(endpoint: HealthEndpoint): boolean {
    return this.#registered.every(
      (one) => !one.endpoints.includes(endpoint) || this.#problemOf(one, endpoint) === undefined,
    );
  }

  /** undefined where the endpoint has no such check. */
  checkOne(endpoint: HealthEndpoint, name: string): CheckResult | undefined {
    const registered = this.#registered.find(
      ({ check, endpoints }) => check.name === name && endpoints.includes(endpoint),
    );
    if (registered === undefined) return undefined;
    return { name, problem: this.#problemOf(registered, endpoint), isExcluded: false };
  }

  /** What came of the checks so far, where an endpoint was asked as a whole. */
  observations(): Iterable<HealthObservation> {
    return this.#seen.values();
  }

  #tellReady(): void {
    const tell = this.#becameReady;
    this.#becameReady = undefined;
    tell?.();
  }

  #observe(name: string, endpoint: HealthEndpoint, isPassed: boolean): void {
    const key = `${endpoint}/${name}`;
    const seen = this.#seen.get(key) ?? { name, endpoint, isPassed, successes: 0, errors: 0 };
    seen.isPassed = isPassed;
    if (isPassed) seen.successes += 1;
    else seen.errors += 1;
    this.#seen.set(key, seen);
  }

  #problemOf({ check, livezGraceUntil }: Registered, endpoint: HealthEndpoint): string | undefined {
    if (endpoint === 'livez' && this.#clock.now() < livezGraceUntil) return undefined;
    return check.problem();
  }
}

/** One line a check, as upstream writes them. What is wrong is withheld: any client may read this. */
export function formatReport(report: HealthReport): string {
  const { endpoint, isHealthy, results, unknownExclusions } = report;
  const lines = results.map(formatResult);
  if (unknownExclusions.length > 0) {
    const names = unknownExclusions.map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  lines.push(`${endpoint} check ${isHealthy ? 'passed' : 'failed'}`);
  return `${lines.join('\n')}\n`;
}

function formatResult({ name, problem, isExcluded }: CheckResult): string {
  if (isExcluded) return `[+]${name} excluded: ok`;
  return problem === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
}

/**
 * Paths that are answered from the first moment to the last: a client that asks how the server is should
 * hear the truth.
 *
 * In Kubernetes: pathPrefixesExemptFromRetryAfter, apiserver/pkg/server/filters.
 */
const PREFIXES: readonly string[] = ['/readyz', '/livez', '/healthz', '/metrics'];

/** Whether the path is one of health checks or metrics, answered until the port closes. */
export function isAnsweredToTheEnd(path: string): boolean {
  return PREFIXES.some((prefix) => path.startsWith(prefix));
}
