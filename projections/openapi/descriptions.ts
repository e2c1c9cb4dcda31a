/**
 * What the build has collected about types and fields for `kubectl explain`. The sentences are
 * upstream's and are not part of this source tree: a server that runs from it goes without. What
 * is said of our own kinds is ours.
 */
import { FORK_DESCRIPTIONS } from '../../api/everwatch/fork-facts.ts';
import { readGenerated } from '../../api/generated/read-generated.ts';
import type { TypeDescriptions } from './type-schema.ts';

/** By type; inside, '' is the type itself. */
type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

const NONE: TypeDescriptions = new Map();

/** Reads the file on the first call of what it returns, and keeps nothing when there is none. */
export function describeFromFile(): (typeId: string) => TypeDescriptions {
  let all: Descriptions | undefined;
  return (typeId) => {
    all ??= { ...readDescriptions(), ...FORK_DESCRIPTIONS };
    return Object.hasOwn(all, typeId) ? new Map(Object.entries(all[typeId] ?? {})) : NONE;
  };
}

function readDescriptions(): Descriptions {
  let text: string;
  try {
    text = readGenerated('descriptions.json');
  } catch {
    // Only a build has the file.
    return {};
  }
  // The file is ours, written by tools/build-descriptions.ts.
  return JSON.parse(text) as Descriptions;
}
