"""Streams of the official Python client: exec, attach, logs and port-forwards of one pod.

    streams.py exec POD CONTAINER WORD…
    streams.py attach POD CONTAINER
    streams.py log POD CONTAINER follow
    streams.py forward POD PORT

Reads KUBECONFIG. Standard input is sent, but this client cannot say that it has ended. `forward` sends it
over three connections at once and prints what comes back over each, once as much has come.
"""

import sys
import threading

from kubernetes import client, config
from kubernetes.stream import portforward, stream


def main() -> int:
    config.load_kube_config()
    # A stream replaces a method of the client that it is called with.
    core = client.CoreV1Api()
    verb, pod, *rest = sys.argv[1:]
    if verb == "log":
        log = core.read_namespaced_pod_log(
            pod, "default", container=rest[0], follow=rest[1] == "true", _preload_content=False
        )
        for chunk in log.stream():
            write(sys.stdout, chunk.decode())
        return 0
    if verb == "forward":
        return forward(core, pod, int(rest[0]))
    common = {"stdin": True, "stdout": True, "stderr": True, "tty": False, "_preload_content": False}
    if verb == "exec":
        call = core.connect_get_namespaced_pod_exec
        common["command"] = rest[1:]
    else:
        call = core.connect_get_namespaced_pod_attach
    opened = stream(call, pod, "default", container=rest[0], **common)
    text = sys.stdin.read()
    if text:
        opened.write_stdin(text)
    while opened.is_open():
        opened.update(timeout=1)
        if opened.peek_stdout():
            write(sys.stdout, opened.read_stdout())
        if opened.peek_stderr():
            write(sys.stderr, opened.read_stderr())
    write(sys.stdout, opened.read_stdout())
    write(sys.stderr, opened.read_stderr())
    return opened.returncode if verb == "exec" else 0


def write(to, text: str) -> None:
    to.write(text)
    to.flush()


def forward(core: client.CoreV1Api, pod: str, port: int) -> int:
    sent = sys.stdin.read().encode()
    echoes = [b""] * 3

    def echo(at: int) -> None:
        forwarded = portforward(
            client.CoreV1Api().connect_get_namespaced_pod_portforward, pod, "default", ports=str(port)
        )
        socket = forwarded.socket(port)
        socket.setblocking(True)
        socket.sendall(sent)
        while len(echoes[at]) < len(sent):
            came = socket.recv(65536)
            if not came:
                break
            echoes[at] += came
        socket.close()

    threads = [threading.Thread(target=echo, args=(at,)) for at in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return 0 if all(one == sent for one in echoes) else 1


sys.exit(main())
