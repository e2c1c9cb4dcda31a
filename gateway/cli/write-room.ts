/** Puts together what those who write objects need, over an opened gallery. */
import type { Faults } from '../../actors/faults.ts';
import { Committer } from '../../actors/registry/committer.ts';
import { KeySlots } from '../../actors/registry/key-slots.ts';
import type { WriteRoom } from '../../actors/registry/write-room.ts';
import { OwnLogMoment, type ReadMoment } from '../../projections/read-moment.ts';
import { bodyDecoder } from '../negotiation/body-decoder.ts';
import type { OpenGallery } from './open-gallery.ts';
import type { ServeOptions } from './serve-settings.ts';
import { systemClock, systemRandom } from './system-clock.ts';

const CONTINUE_TOKEN_TTL_MS = 5 * 60_000;

export function writeRoom(opened: OpenGallery, options: ServeOptions, faults: Faults): WriteRoom {
  const { gallery, objects, applied, log, store, hasOtherWriters } = opened;
  const committer = new Committer({ log, clock: systemClock, random: systemRandom });
  const marked: ReadMoment = {
    newest: (done) => {
      committer.reach(done);
    },
  };
  return {
    gallery,
    objects,
    history: store,
    applied,
    log,
    moment: hasOtherWriters ? marked : new OwnLogMoment(applied),
    clock: systemClock,
    random: systemRandom,
    limits: {
      continueTokenTtlMs: CONTINUE_TOKEN_TTL_MS,
      watchTimeoutMinMs: options.minRequestTimeoutMs,
    },
    committer,
    slots: new KeySlots(),
    decoder: bodyDecoder,
    faults,
  };
}
