#!/usr/bin/env python3
"""The same messages by gRPC, compressed by gzip as it does it: tests/bench/messages runs it.

    grpc_messages.py serve PORT
    grpc_messages.py ask ADDRESS PORT DATA SIZE ROUNDS SECONDS

Prints as message_round_trips does. Messages are bytes, without protobuf; large ones are answered
with one byte.
"""
import statistics
import sys
import time
from concurrent import futures

import grpc

LIMITS = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


def serve(port):
    def answer(message, _context):
        return message if len(message) <= 64 << 10 else b"x"

    handler = grpc.method_handlers_generic_handler(
        "messages", {"Send": grpc.unary_unary_rpc_method_handler(answer)})
    server = grpc.server(futures.ThreadPoolExecutor(2), options=LIMITS,
                         compression=grpc.Compression.Gzip)
    server.add_generic_rpc_handlers((handler,))
    server.add_insecure_port(f"0.0.0.0:{port}")
    server.start()
    server.wait_for_termination()


def ask(address, port, path, size, rounds, limit):
    with open(path, "rb") as file:
        data = file.read()
    size, rounds, limit = int(size), int(rounds), float(limit)
    data = data * (2 + size // len(data))
    channel = grpc.insecure_channel(f"{address}:{port}", options=LIMITS,
                                    compression=grpc.Compression.Gzip)
    send = channel.unary_unary("/messages/Send")
    seconds = []
    begin = time.monotonic()
    for i in range(rounds):
        if i >= 3 and time.monotonic() - begin > limit:
            break
        at = i * size % (len(data) - size)
        message = data[at:at + size]
        before = time.perf_counter()
        send(message, wait_for_ready=True)
        seconds.append(time.perf_counter() - before)
    median = statistics.median(seconds)
    print(size, "grpc", len(seconds), f"{median * 1e6:.2f} {size / median:.0f}")


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1] == "serve" else ask(*sys.argv[2:])
