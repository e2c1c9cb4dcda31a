/**
 * Names that are made from a base and a few letters by chance.
 *
 * In Kubernetes: SimpleNameGenerator, apiserver/pkg/storage/names.
 */
import type { Random } from './clock.ts';

// Without vowels and what looks like them, so that no words come about.
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const GENERATED_NAME_MAX = 63;

/** The base, shortened where it has to be, with five letters behind it. */
export function generatedName(base: string, random: Random): string {
  let name = base.slice(0, GENERATED_NAME_MAX - SUFFIX_LENGTH);
  for (let index = 0; index < SUFFIX_LENGTH; index += 1) {
    name += SUFFIX_ALPHABET[random.integer(SUFFIX_ALPHABET.length)] ?? '';
  }
  return name;
}
