/**
 * Defaults of a container, whether it is an init, a regular or an ephemeral one.
 *
 * In Kubernetes: SetDefaults_Container, SetDefaults_Probe, SetDefaults_HTTPGetAction and the
 * `+default` markers below them, pkg/apis/core/v1.
 */
import { forEachItem } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type { Container, EphemeralContainer } from '../../../generated/kinds/core-v1.ts';
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, setIfZero, withObject } from '../../default-field.ts';
import { setResourceRequirementsDefaults } from './resource-list-defaults.ts';
import { pullPolicyOf, setFieldRefDefault } from '../volumes/volume-defaults.ts';

export function setContainerDefaults(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= pullPolicyOf(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  forEachItem(items(container.ports), (port) => {
    port.protocol ||= 'TCP';
  });
  forEachItem(items(container.env), (variable) => {
    withObject(variable, 'valueFrom', setValueSourceDefaults);
  });
  setResourceRequirementsDefaults(container, 'resources');
  withObject(container, 'livenessProbe', setProbeDefaults);
  withObject(container, 'readinessProbe', setProbeDefaults);
  withObject(container, 'startupProbe', setProbeDefaults);
  withObject(container, 'lifecycle', (lifecycle) => {
    withObject(lifecycle, 'postStart', setHttpGetDefaults);
    withObject(lifecycle, 'preStop', setHttpGetDefaults);
  });
}

function setValueSourceDefaults(source: JsonObject): void {
  setFieldRefDefault(source);
  withObject(source, 'fileKeyRef', (fileKeyRef) => {
    setIfAbsent(fileKeyRef, 'optional', false);
  });
}

/** Times are in seconds. */
function setProbeDefaults(probe: JsonObject): void {
  setIfZero(probe, 'timeoutSeconds', 1);
  setIfZero(probe, 'periodSeconds', 10);
  setIfZero(probe, 'successThreshold', 1);
  setIfZero(probe, 'failureThreshold', 3);
  setHttpGetDefaults(probe);
  withObject(probe, 'grpc', (grpc) => {
    setIfAbsent(grpc, 'service', '');
  });
}

function setHttpGetDefaults(action: JsonObject): void {
  withObject(action, 'httpGet', (httpGet) => {
    setIfZero(httpGet, 'path', '/');
    setIfZero(httpGet, 'scheme', 'HTTP');
  });
}
