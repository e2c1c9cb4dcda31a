/** How the client is shown what was written, where that is the object itself. */
import { dryRunAnswer } from '../objects/dry-run.ts';
import { noted, type Stage } from '../stage.ts';
import type { HasShowing, Received, Showing } from '../write.ts';

export const OBJECTS: Showing = {
  stored: (served, code, object) => ({ kind: 'Object', code, served, object }),
  dryRun: (served, code, { json, replaced }) => dryRunAnswer(served, json, code, replaced),
};

export const showObjects: Stage<Received, Received & HasShowing> = {
  name: 'show objects',
  run: (write) => noted(write, { showing: OBJECTS }),
};
