/** Persistent volumes: storage that exists. In Kubernetes: registry/core/persistentvolume. */
import { formatTime, type Clock } from '../../../meta/clock.ts';
import { stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { defineKind, type Kind } from '../../kind.ts';
import { carryOver } from '../../strategy-of.ts';
import { isMissing, statusOf } from '../../rules/value-validation.ts';
import { volumeWarnings } from './warnings.ts';
import { validateVolume, validateVolumeChange, validateVolumeStatus } from './validation.ts';

const PHASE_TIME = 'lastPhaseTransitionTime';

export function persistentVolumes(clock: Clock): Kind {
  return defineKind('v1/persistentvolumes', {
    rules: {
      returnsDeletedObject: true,
      warningsOnCreate: volumeWarnings,
      warningsOnUpdate: volumeWarnings,
      status: {
        initial: () => ({ phase: 'Pending', [PHASE_TIME]: formatTime(clock.now()) }),
        prepareForUpdate: (volume, old) => keepPhaseTime(volume, old, clock),
        validateUpdate: validateVolumeStatus,
      },
      validate: validateVolume,
      validateChange: validateVolumeChange,
    },
  });
}

/** Tells when the phase changed, unless the writer tells it. */
function keepPhaseTime(volume: KubeObject, old: KubeObject, clock: Clock): void {
  const status = { ...statusOf(volume) };
  const oldStatus = statusOf(old);
  const isSamePhase = stringAt(status, 'phase') === stringAt(oldStatus, 'phase');
  const isUntold = isMissing(status[PHASE_TIME]);
  if (isSamePhase && isUntold) {
    carryOver(status, oldStatus, PHASE_TIME);
  } else if (!isSamePhase && (isUntold || status[PHASE_TIME] === oldStatus[PHASE_TIME])) {
    status[PHASE_TIME] = formatTime(clock.now());
  }
  volume['status'] = status;
}
