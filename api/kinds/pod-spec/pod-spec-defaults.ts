/**
 * Defaults of a pod's spec and of its containers, wherever it stands: in a pod or in the template
 * of a workload. What a pod alone gets (requests from limits, enableServiceLinks, host ports) is in
 * core/pods/definition.ts.
 *
 * In Kubernetes: SetDefaults_PodSpec, SetDefaults_Container, SetDefaults_Probe,
 * SetDefaults_HTTPGetAction and what the generated defaulters call below them, pkg/apis/core/v1.
 */
import { forEachItem } from '../../json/work-in-slices.ts';
import { items } from '../../json/go-values.ts';
import type {
  Container,
  EnvVarSource,
  EphemeralContainer,
  LifecycleHandler,
  PodSpec,
  PodTemplateSpec,
  Probe,
} from '../../generated/kinds/core-v1.ts';
import {
  setResourceListDefaults,
  setResourceRequirementsDefaults,
} from './containers/resource-list-defaults.ts';
import { pullPolicyOf, setFieldRefDefault, setVolumeDefaults } from './volumes/volume-defaults.ts';

const TERMINATION_GRACE_PERIOD_SECONDS = 30;

/** SetDefaults_PodSpec, with the defaults of containers and volumes: for pods and for templates. */
export function setPodSpecDefaults(spec: PodSpec): void {
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= TERMINATION_GRACE_PERIOD_SECONDS;
  spec.schedulerName ||= 'default-scheduler';
  forEachItem(items(spec.volumes), setVolumeDefaults);
  forEachItem(items(spec.initContainers), setContainerDefaults);
  forEachItem(items(spec.containers), setContainerDefaults);
  forEachItem(items(spec.ephemeralContainers), setContainerDefaults);
  setResourceListDefaults(spec.overhead);
  setResourceRequirementsDefaults(spec.resources);
}

/** The PodTemplateSpec at `template` of `owner`, which in Go is always there. */
export function setPodTemplateDefaults(owner: { template: PodTemplateSpec }): void {
  setPodSpecDefaults(owner.template.spec);
}

function setContainerDefaults(container: Container | EphemeralContainer): void {
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
