/**
 * Counts what PodSecurity decides.
 *
 * In Kubernetes: k8s.io/pod-security-admission/metrics.
 */
import type {
  PodSecurityMeters,
  PodSecurityPlace,
} from '../../actors/admission/admission-meters.ts';
import { NamedCounts } from './named-figures.ts';

/** The minor version of the API: what namespaces say of later ones is of the future. */
const MINOR = 36;

export class PodSecurityFigures {
  readonly #evaluations = new NamedCounts({
    name: 'pod_security_evaluations_total',
    help: 'Evaluations of policies, without requests that are ignored or exempt.',
  });
  readonly #exemptions = new NamedCounts({
    name: 'pod_security_exemptions_total',
    help: 'Requests that are exempt, without those that are ignored.',
  });
  readonly #errors = new NamedCounts({
    name: 'pod_security_errors_total',
    help: 'Errors that kept from evaluating as was meant.',
  });

  at({ operation, resource, subresource }: PodSecurityPlace): PodSecurityMeters {
    const request_operation = operation.toLowerCase();
    const where = { request_operation, resource, subresource };
    const known = new Map<string, { value: number }>();
    const exempted = this.#exemptions.of(where);
    return {
      evaluated: (decision, { level, version }, mode) => {
        const key = `${decision} ${mode} ${level} ${String(version)}`;
        let count = known.get(key);
        if (count === undefined) {
          const policy_version = level === 'privileged' ? 'latest' : shownVersion(version);
          const policy = { policy_level: level, policy_version };
          const { request_operation: of, ...rest } = where;
          const labels = { decision, mode, ...policy, request_operation: of, ...rest };
          count = this.#evaluations.of(labels);
          known.set(key, count);
        }
        count.value += 1;
      },
      exempted: () => {
        exempted.value += 1;
      },
      failed: (isFatal) => {
        this.#errors.add({ fatal: String(isFatal), ...where });
      },
    };
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return this.#errors.format() + this.#evaluations.format() + this.#exemptions.format();
  }
}

function shownVersion(version: number | 'latest'): string {
  if (version === 'latest') return version;
  return version > MINOR ? 'future' : `v1.${String(version)}`;
}
