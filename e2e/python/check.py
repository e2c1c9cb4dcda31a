"""The official Python client: list, watch and patch, in a namespace of its own.

Reads KUBECONFIG. Ends with one line of JSON on standard output; an assertion that fails ends
the program with exit code 1 and a traceback.
"""

import json
import threading

from kubernetes import client, config, watch

LABELS = {"check": "python"}
SELECTOR = "check=python"


def main() -> None:
    config.load_kube_config()
    core = client.CoreV1Api()
    namespace = core.create_namespace(
        client.V1Namespace(metadata=client.V1ObjectMeta(generate_name="python-"))
    ).metadata.name
    report = {
        "version": client.VersionApi().get_code().git_version,
        "crud": crud(core, namespace),
        "list": lists(core, namespace),
        "watch": watches(core, namespace),
        "patch": patches(core, namespace),
        "dynamic": dynamic_client(namespace),
    }
    print(json.dumps(report))


def config_map(name: str, **data: str) -> client.V1ConfigMap:
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels=LABELS), data=data)


def crud(core: client.CoreV1Api, namespace: str) -> list[int]:
    """The status codes of what must fail, in order."""
    made = core.create_namespaced_config_map(namespace, config_map("one", a="1"))
    assert made.metadata.uid and made.metadata.creation_timestamp.tzinfo is not None
    failures = []
    for attempt in (
        lambda: core.create_namespaced_config_map(namespace, config_map("one")),
        lambda: core.read_namespaced_config_map("absent", namespace),
        lambda: core.create_namespaced_config_map(namespace, config_map("Not A Name")),
        lambda: stale_replace(core, namespace, made),
    ):
        try:
            attempt()
        except client.ApiException as error:
            assert json.loads(error.body)["kind"] == "Status", error.body
            failures.append(error.status)
    core.delete_namespaced_config_map("one", namespace)
    return failures


def stale_replace(core: client.CoreV1Api, namespace: str, made: client.V1ConfigMap) -> None:
    core.patch_namespaced_config_map("one", namespace, {"data": {"a": "2"}})
    core.replace_namespaced_config_map("one", namespace, made)


def lists(core: client.CoreV1Api, namespace: str) -> list[int]:
    """The sizes of the pages of seven objects at most three to a page."""
    for number in range(7):
        core.create_namespaced_config_map(namespace, config_map(f"listed-{number}"))
    sizes, names, token = [], [], None
    while token is None or token:
        page = core.list_namespaced_config_map(namespace, limit=3, _continue=token)
        sizes.append(len(page.items))
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue or ""
    assert names == [f"listed-{number}" for number in range(7)], names
    some = core.list_config_map_for_all_namespaces(
        label_selector=SELECTOR, field_selector="metadata.name=listed-3"
    )
    assert [item.metadata.name for item in some.items] == ["listed-3"]
    core.delete_collection_namespaced_config_map(namespace, label_selector=SELECTOR)
    assert core.list_namespaced_config_map(namespace).items == []
    return sizes


def watches(core: client.CoreV1Api, namespace: str) -> list[str]:
    """What a watch with a selector says of an object that is made, changed and unlabelled."""
    start = core.list_namespaced_config_map(namespace).metadata.resource_version

    def write() -> None:
        core.create_namespaced_config_map(namespace, config_map("watched", a="1"))
        core.patch_namespaced_config_map("watched", namespace, {"data": {"a": "2"}})
        core.patch_namespaced_config_map(
            "watched", namespace, {"metadata": {"labels": {"check": None}}}
        )

    writer = threading.Thread(target=write)
    writer.start()
    seen = []
    watching = watch.Watch()
    for event in watching.stream(
        core.list_namespaced_config_map,
        namespace,
        label_selector=SELECTOR,
        resource_version=start,
        timeout_seconds=30,
    ):
        assert isinstance(event["object"], client.V1ConfigMap)
        seen.append(event["type"])
        if event["type"] == "DELETED":
            watching.stop()
    writer.join()
    return seen


def patches(core: client.CoreV1Api, namespace: str) -> dict[str, str]:
    """The data of an object after a patch of each type."""
    core.create_namespaced_config_map(namespace, config_map("patched", a="1"))
    operations = [{"op": "replace", "path": "/data/a", "value": "2"}]
    core.patch_namespaced_config_map("patched", namespace, operations)
    for content_type, patch in (
        ("application/merge-patch+json", {"data": {"b": "merge"}}),
        ("application/strategic-merge-patch+json", {"data": {"c": "strategic"}}),
    ):
        core.patch_namespaced_config_map(
            "patched", namespace, patch, _content_type=content_type
        )
    return core.read_namespaced_config_map("patched", namespace).data


def dynamic_client(namespace: str) -> str:
    """The dynamic client finds its resources by discovery."""
    from kubernetes import dynamic

    found = dynamic.DynamicClient(client.ApiClient())
    deployments = found.resources.get(api_version="apps/v1", kind="Deployment")
    labels = {"app": "web"}
    body = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "web", "image": "example/web:1"}]},
            },
        },
    }
    made = deployments.create(body=body, namespace=namespace)
    return made.spec.strategy.type


if __name__ == "__main__":
    main()
