/** Persistent volumes: storage that exists. In Kubernetes: registry/core/persistentvolume. */
import type { PersistentVolume } from '../../../generated/kinds/core-v1.ts';
import { formatTime, type Clock } from '../../../meta/clock.ts';
import { defineKind, type Kind } from '../../kind.ts';
import { carryOver } from '../../strategy-of.ts';
import { isMissing } from '../../rules/value-validation.ts';
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
function keepPhaseTime(volume: PersistentVolume, old: PersistentVolume, clock: Clock): void {
  const status = { ...volume.status };
  const oldStatus = old.status;
  const isSamePhase = (status.phase ?? '') === (oldStatus.phase ?? '');
  const isUntold = isMissing(status[PHASE_TIME]);
  if (isSamePhase && isUntold) {
    carryOver(status, oldStatus, PHASE_TIME);
  } else if (!isSamePhase && (isUntold || status[PHASE_TIME] === oldStatus[PHASE_TIME])) {
    status[PHASE_TIME] = formatTime(clock.now());
  }
  volume.status = status;
}
