/** How much memory the server takes to spare processor time. */
import { quoted } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

const FOOTPRINTS = ['small', 'medium', 'large'] as const;

/** The smaller, the sooner what is over is collected. `large`: when V8 finds it time. */
export type MemoryFootprint = (typeof FOOTPRINTS)[number];

export interface MemorySettings {
  readonly memoryFootprint: MemoryFootprint;
}

/** The flags of {@link MemorySettings}. */
export const MEMORY_SETTINGS: SettingsOf<MemorySettings> = {
  memoryFootprint: {
    flag: 'memory-footprint',
    placeholder: 'SIZE',
    help: 'small, medium or large: how much memory may be spent to spare processor time; with small, memory that is not used any more is collected most often',
    takes: 'text',
    default: 'medium',
    parse: parseFootprint,
  },
};

function parseFootprint(text: string): MemoryFootprint {
  const footprint = FOOTPRINTS.find((one) => one === text);
  if (footprint !== undefined) return footprint;
  throw new StartupError(`must be small, medium or large, not ${quoted(text)}`);
}
