/**
 * The checks of the event log, under the names by which clients ask kube-apiserver for its store:
 * `etcd`, `etcd-readiness` and `informer-sync`. docs/decisions/0055-checks-of-the-log.md says what
 * each of them means here.
 *
 * In Kubernetes: the etcd checks of apiserver/pkg/server/options/etcd.go, and informerSyncHealthz of
 * apiserver/pkg/server/healthz.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import { LogUnavailableError } from '../../streams/event-log.ts';
import type { Committer } from '../registry/commit/committer.ts';
import type { HealthCheck, HealthChecks, HealthEndpoint } from './health-checks.ts';

export interface LogChecksParts {
  readonly committer: Pick<Committer, 'trouble' | 'reach' | 'appendedTo'>;
  readonly applied: Pick<AppliedVersion, 'current'>;
  readonly clock: Clock;
  /** Why the log cannot be reached; undefined when it can. */
  readonly unreachable: () => string | undefined;
  /** The last version that others are known to have appended; 0 where there are no others. */
  readonly end: () => number;
}

/** A failed log is written to again at most that often. */
const TRY_EVERY_MS = 1_000;
/** How long a record may lie in the log before the views are said to be behind. */
const BEHIND_MAX_MS = 5_000;

/** Adds the checks in the order in which kube-apiserver lists them. */
export function addLogChecks(checks: HealthChecks, parts: LogChecksParts): void {
  const { unreachable, committer } = parts;
  const refusing = (): string | undefined => refusedForGood(committer.trouble);
  const written = writing(parts);
  const readable = (): string | undefined => unreachable() ?? refusing();
  const etcd = (endpoint: HealthEndpoint, problem: HealthCheck['problem']): void => {
    checks.add({ name: 'etcd', problem }, { endpoints: [endpoint] });
  };
  etcd('healthz', () => unreachable() ?? written());
  etcd('livez', refusing);
  etcd('readyz', readable);
  checks.add({ name: 'etcd-readiness', problem: readable }, { endpoints: ['readyz'] });
  checks.add({ name: 'informer-sync', problem: catchingUp(parts) }, { endpoints: ['readyz'] });
}

/**
 * Fails from a failed append on until one succeeds. While it fails, asking for it appends a marker:
 * a server that is taken for unhealthy may be sent no writes, and would never learn that the log
 * takes them again.
 */
function writing({ committer, clock }: LogChecksParts): () => string | undefined {
  let triedAt = Number.NEGATIVE_INFINITY;
  let isTrying = false;
  return () => {
    const { trouble } = committer;
    if (trouble === undefined) return undefined;
    const now = clock.now();
    // A clock that was set back may be in front of it.
    if (!isTrying && (now < triedAt || now - triedAt >= TRY_EVERY_MS)) {
      triedAt = now;
      isTrying = true;
      void committer.reach().then(() => {
        isTrying = false;
      });
    }
    return trouble.message;
  };
}

/** Only then a restart helps: it brings back no broker and no room, and ends all watches. */
function refusedForGood(trouble: Error | undefined): string | undefined {
  const isForGood = trouble instanceof LogUnavailableError && trouble.needsRestart;
  return isForGood ? trouble.message : undefined;
}

/** A busy log is always some records ahead, so what counts is how long the same record lies there. */
function catchingUp({ committer, applied, end, clock }: LogChecksParts): () => string | undefined {
  let seen: { readonly end: number; readonly at: number } | undefined;
  return () => {
    const newest = Math.max(end(), committer.appendedTo);
    const behind = newest - applied.current;
    if (seen === undefined || applied.current >= seen.end) {
      seen = behind > 0 ? { end: newest, at: clock.now() } : undefined;
    }
    if (seen === undefined || clock.now() - seen.at < BEHIND_MAX_MS) return undefined;
    return `${String(behind)} records of the log are not applied`;
  };
}
