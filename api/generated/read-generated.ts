/**
 * Reads a generated file of facts, as late as it is needed: a start that needs none pays nothing.
 * The surprise is where it looks: beside this file in the source tree, and in `generated/` beside
 * the bundle, where the build copies the files.
 */
import { existsSync, readFileSync } from 'node:fs';

/**
 * The text of a generated file, by its name with ending: `types.json`.
 * @throws Error when there is no such file, which means that the installation is broken.
 */
export function readGenerated(name: string): string {
  const places = [`./${name}`, `./generated/${name}`].map((one) => new URL(one, import.meta.url));
  const place = places.find((one) => existsSync(one));
  if (place === undefined) throw new Error(`generated file ${name} is missing`);
  return readFileSync(place, 'utf8');
}
