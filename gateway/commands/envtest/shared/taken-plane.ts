/**
 * A control plane of a suite that leaves everything to the process: with the flags that envtest gives, a port that is free, certificates of
 * its own, and a data directory that goes with it. It may have started before there was a suite for it.
 */
import type { Socket } from 'node:net';
import { kubeconfigPath } from '../../kubeconfig/kubeconfig.ts';
import { systemProblem } from '../../../process/startup-error.ts';
import type { RunningServer } from '../../../server/server.ts';
import { ownFlags } from '../flags-beside-etcd.ts';
import { tell } from './messages.ts';
import { leavePlace, placeOfPlane } from './plane-directory.ts';
import { PlaneHost } from './plane-host.ts';
import type { SparePlane } from './spare-planes.ts';
import { startPlane } from './start-plane.ts';

/** As envtest of controller-runtime has them: pkg/internal/testing/controlplane/apiserver.go. */
const AS_ENVTEST = [
  ...['--bind-address=127.0.0.1', '--secure-port=0', '--authorization-mode=RBAC'],
  ...['--service-cluster-ip-range=10.0.0.0/24', '--allow-privileged=true'],
  // No controller makes the accounts that it wants.
  '--disable-admission-plugins=ServiceAccount',
];

export class TakenPlane implements SparePlane {
  readonly host = new PlaneHost();
  readonly #place: string;
  readonly #running: Promise<RunningServer | undefined>;
  readonly started: Promise<boolean>;
  #keep: string | undefined;

  /**
   * @param places where data directories are made.
   * @param flags beside the usual ones.
   */
  constructor(places: string, flags: readonly string[]) {
    this.#place = placeOfPlane(places);
    this.host.whenEnding(() => {
      try {
        leavePlace(this.#place, this.#keep);
      } catch (error) {
        this.host.write.error(`everwatch: its log could not be kept: ${systemProblem(error)}\n`);
      }
    });
    const argv = [`--data-dir=${this.#place}`, ...ownFlags({}), '--unsafe-no-fsync=true'];
    this.#running = startPlane(this.host, [...argv, ...AS_ENVTEST, ...flags], false);
    this.started = this.#running.then((running) => running !== undefined);
  }

  get isEnded(): boolean {
    return this.host.isEnded;
  }

  stop(): void {
    this.host.stop();
  }

  /**
   * Settles when the suite knows of it, or why there is none.
   *
   * @param keep where its log stays behind its end; undefined: nowhere.
   * @returns whether it answers.
   */
  async belongTo(socket: Socket, keep: string | undefined): Promise<boolean> {
    this.#keep = keep;
    this.host.belongTo(socket);
    const running = await this.#running;
    if (running === undefined) return false;
    tell(socket, {
      type: 'ready',
      kubeconfig: kubeconfigPath(this.#place),
      dataDirectory: this.#place,
      resourceVersion: String(running.current()),
    });
    return true;
  }
}
