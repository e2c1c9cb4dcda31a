/**
 * Defaults of a container, whether it is an init, a regular or an ephemeral one.
 *
 * In Kubernetes: SetDefaults_Container, SetDefaults_Probe, SetDefaults_HTTPGetAction and the
 * `+default` markers below them, pkg/apis/core/v1.
 */
import type {
  Container,
  EnvVarSource,
  EphemeralContainer,
  LifecycleHandler,
  Probe,
} from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import { forEachItem } from '../../../json/work-in-slices.ts';
import { setResourceRequirementsDefaults } from './resource-list-defaults.ts';
import { pullPolicyOf, setFieldRefDefault } from '../volumes/volume-defaults.ts';

export function setContainerDefaults(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= pullPolicyOf(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  forEachItem(items(container.ports), (port) => {
    port.protocol ||= 'TCP';
  });
  forEachItem(items(container.env), ({ valueFrom }) => {
    if (valueFrom !== undefined) setValueSourceDefaults(valueFrom);
  });
  setResourceRequirementsDefaults(container.resources);
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  for (const probe of [livenessProbe, readinessProbe, startupProbe]) setProbeDefaults(probe);
  setHttpGetDefaults(lifecycle?.postStart);
  setHttpGetDefaults(lifecycle?.preStop);
}

function setValueSourceDefaults(source: EnvVarSource): void {
  setFieldRefDefault(source);
  if (source.fileKeyRef !== undefined) source.fileKeyRef.optional ??= false;
}

/** Times are in seconds. */
function setProbeDefaults(probe: Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  setHttpGetDefaults(probe);
  if (probe.grpc !== undefined) probe.grpc.service ??= '';
}

function setHttpGetDefaults(action: Pick<LifecycleHandler, 'httpGet'> | undefined): void {
  if (action?.httpGet === undefined) return;
  action.httpGet.path ||= '/';
  action.httpGet.scheme ||= 'HTTP';
}
