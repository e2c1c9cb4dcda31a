/**
 * When a taint was added, where its writer does not say. It counts as a default upstream; here it
 * is no default of the type, because it needs a clock.
 *
 * In Kubernetes: SetDefaults_DeviceTaint, pkg/apis/resource/v1.
 */
import { formatTime, type Clock } from '../../../meta/clock.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { isMissing, objectsAt, specOf } from '../../rules/value-validation.ts';

const KEY = 'timeAdded';

export function stampTaints(slice: KubeObject, clock: Clock): void {
  const spec = specOf(slice);
  const devices = objectsAt(spec, 'devices');
  if (!devices.some((device) => objectsAt(device, 'taints').some((one) => isMissing(one[KEY])))) {
    return;
  }
  const now = formatTime(clock.now());
  slice['spec'] = {
    ...spec,
    devices: devices.map((device) => {
      if (isMissing(device['taints'])) return device;
      const taints = objectsAt(device, 'taints').map((taint) =>
        isMissing(taint[KEY]) ? { ...taint, [KEY]: now } : taint,
      );
      return { ...device, taints };
    }),
  };
}
