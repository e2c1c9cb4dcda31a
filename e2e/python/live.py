"""A client that knows docs/live.md only: follows ConfigMaps, and goes on where another run has ended.

Reads HOST, TOKEN and CA. Arguments: the JSON schema of messages, which each of them has to follow; behind how many changes
it ends; from which place it goes on. Prints a line of JSON for each event, and the place at the end.
"""

import asyncio
import json
import os
import ssl
import sys

import jsonschema
import websockets

PATH = "/api/v1/namespaces/default/configmaps"


async def follow(schema: jsonschema.Draft202012Validator, changes: int, place: str | None) -> str:
    """Returns the place to go on from."""
    tls = ssl.create_default_context(cafile=os.environ["CA"])
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    url = f"wss://{os.environ['HOST']}/everwatch/v1/live"
    # The package takes messages of 1 MiB unless told otherwise.
    options = {"subprotocols": ["everwatch.watch.v1"], "max_size": None}
    async with websockets.connect(url, ssl=tls, additional_headers=headers, **options) as socket:
        subscribe = {"type": "subscribe", "id": "maps", "path": PATH, "query": "labelSelector=a"}
        await socket.send(json.dumps(subscribe if place is None else {**subscribe, "from": place}))
        async for text in socket:
            message = json.loads(text)
            schema.validate(message)
            if message["type"] == "error":
                raise RuntimeError(message["status"])
            for event in message.get("events", []):
                print(json.dumps([event["type"], event["object"]["metadata"]["name"]]), flush=True)
                changes -= 0 if message.get("initial") else 1
            if message["type"] in ("next", "caughtUp") and not message.get("initial"):
                place = message["revision"]
                if changes <= 0:
                    return place
                if message["type"] == "caughtUp":
                    print('["CAUGHT_UP"]', flush=True)
    raise RuntimeError("the server has closed the socket")


with open(sys.argv[1], encoding="utf-8") as file:
    SCHEMA = jsonschema.Draft202012Validator(json.load(file))
FROM = sys.argv[3] if len(sys.argv) > 3 else None
print(json.dumps({"place": asyncio.run(follow(SCHEMA, int(sys.argv[2]), FROM))}))
