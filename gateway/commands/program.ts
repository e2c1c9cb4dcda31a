/** What programs run: built as one file, which load-program.ts loads. */
import type { PlanesParts } from './envtest/shared/serve-planes.ts';

export { runProcess } from './run-process.ts';

/** Serves the control planes of suites. Settles when they can come. */
export async function servePlanes(parts: PlanesParts): Promise<void> {
  const { servePlanes: serve } = await import('./envtest/shared/serve-planes.ts');
  serve(parts);
}
