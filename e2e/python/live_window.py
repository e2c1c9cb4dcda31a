"""A client that knows docs/live.md only: a table that is scrolled and moved through time, and a watch with credit.

Reads HOST, TOKEN and CA. Arguments: the JSON schema of messages, which each of them has to follow; a moment of the past.
Prints a line of JSON for each thing that it shows.
"""

import asyncio
import json
import os
import ssl
import sys

import jsonschema
import websockets

WHAT = {"path": "/api/v1/namespaces/default/configmaps", "query": "labelSelector=t"}
COLUMNS = ["Name", {"name": "A", "jsonPath": ".data.a"}]


class Table:
    """What the frames `rows` of one window come to."""

    def __init__(self) -> None:
        self.rows: dict[str, list[object]] = {}

    def take(self, frame: dict) -> None:
        if "columns" in frame:
            self.rows = {}
        self.rows |= {row["key"]: row["cells"] for row in frame.get("rows", [])}
        for change in frame.get("cells", []):
            self.rows[change["key"]][change["column"]] = change["cell"]
        self.rows = {key: self.rows[key] for key in frame.get("order", self.rows)}


class Client:
    def __init__(self, socket: websockets.ClientConnection, schema: jsonschema.Draft202012Validator) -> None:
        self.socket = socket
        self.schema = schema
        self.table = Table()

    async def send(self, kind: str, **rest: object) -> None:
        await self.socket.send(json.dumps({"type": kind, **rest}))

    async def until(self, kind: str) -> dict:
        """The next message of this type; rows are taken on the way."""
        while True:
            message = json.loads(await self.socket.recv())
            self.schema.validate(message)
            if message["type"] == "rows":
                self.table.take(message)
            if message["type"] == kind:
                return message

    def show(self, what: str) -> None:
        print(json.dumps([what, *self.table.rows.values()]), flush=True)


async def scenario(client: Client, moment: str) -> None:
    window = {"offset": 0, "limit": 2}
    await client.send("subscribe", id="t", **WHAT, columns=COLUMNS, window=window, rate=50)
    await client.until("rows")
    client.show("first")
    await client.until("rows")
    client.show("changed")
    await client.send("window", id="t", window={**window, "offset": 1})
    await client.until("rows")
    client.show("scrolled")
    await client.send("seek", at=moment)
    await client.until("moved")
    client.show("then")
    await client.send("seek")
    await client.until("moved")
    client.show("now")
    await client.send("unsubscribe", id="t")
    await client.until("complete")
    await client.send("subscribe", id="w", **WHAT, credit=1)
    state = await client.until("next")
    await client.send("ack", id="w", revision=state["revision"])
    await client.until("caughtUp")
    print('["caught up"]', flush=True)
    for _ in range(2):
        change = await client.until("next")
        for event in change["events"]:
            print(json.dumps([event["type"], event["object"]["metadata"]["name"]]), flush=True)
        await client.send("ack", id="w", revision=change["revision"])


async def main(schema: jsonschema.Draft202012Validator, moment: str) -> None:
    tls = ssl.create_default_context(cafile=os.environ["CA"])
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    options = {"subprotocols": ["everwatch.watch.v1"], "max_size": None}
    url = f"wss://{os.environ['HOST']}/everwatch/v1/live"
    async with websockets.connect(url, ssl=tls, additional_headers=headers, **options) as socket:
        await scenario(Client(socket, schema), moment)


with open(sys.argv[1], encoding="utf-8") as file:
    asyncio.run(main(jsonschema.Draft202012Validator(json.load(file)), sys.argv[2]))
