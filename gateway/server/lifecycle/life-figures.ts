/** Figures of the program and of its life: what it is, what is on, what became of certificates. */
import type { FeatureGates } from '../../../actors/lifecycle/feature-gates.ts';
import type { TlsReloads } from '../../listener/tls-reload.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { measureWorkQueues } from '../../metrics/work-queue-meters.ts';
import { systemClock } from '../../process/system-clock.ts';
import { KUBERNETES_VERSION, versionInfo } from '../../routes/version.ts';

export interface LifeFigures {
  readonly reloads: TlsReloads;
  readonly featureGates: FeatureGates;
}

export function measureLife(metrics: Metrics, { reloads, featureGates }: LifeFigures): void {
  measureWorkQueues(metrics, systemClock);
  metrics.gauge('kubernetes_build_info', 'Always 1; the labels say what this program is.', () => [
    { labels: buildLabels(), value: 1 },
  ]);
  metrics.gauge(
    'version_info',
    'Always 1; the labels say which versions this server is of.',
    () => [{ labels: versionLabels(), value: 1 }],
  );
  metrics.gauge('kubernetes_feature_enabled', 'Whether a feature is on.', () =>
    [...featureGates.entries()].map(({ name, stage, isOn }) => {
      return { labels: { name, stage }, value: isOn ? 1 : 0 };
    }),
  );
  metrics.counter(
    'everwatch_certificate_reloads_total',
    'Times that certificates had changed on disk, by whether they could be used.',
    () => Object.entries(reloads).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
}

function buildLabels() {
  const info = versionInfo();
  return {
    major: info.major,
    minor: info.minor,
    git_version: info.gitVersion,
    git_commit: info.gitCommit,
    git_tree_state: info.gitTreeState,
    build_date: info.buildDate,
    go_version: info.goVersion,
    compiler: info.compiler,
    platform: info.platform,
  };
}

function versionLabels() {
  const info = versionInfo();
  return {
    component: 'kube',
    binary: KUBERNETES_VERSION.slice(1),
    emulation: `${info.emulationMajor}.${info.emulationMinor}`,
    min_compat: `${info.minCompatibilityMajor}.${info.minCompatibilityMinor}`,
  };
}
