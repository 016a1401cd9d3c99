"""A model behind HTTP, over real sockets against a server that plays a script."""

import json
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from recodeh.data.errors import ModelError
from recodeh.eval.models.model import (
    Message,
    Reply,
    Request,
    Tool,
    ToolCall,
    message_of,
    reply_of,
)
from recodeh.eval.models.openai_compatible import OpenAICompatible
from recodeh.eval.models.post import Patience
from recodeh.eval.models.providers import own
from recodeh.eval.models.throttle import Throttle, throttle_of

KEY = "sk-test-1234567890abcdef"
QUICK = Patience(attempts=4, first_wait=0.01, longest_wait=0.3, seconds=2.0)
REQUEST = Request("local/m", (Message("user", "Hi"),), {"temperature": 0})
Act = Callable[["Handler"], None]


def answer(text: object = "Hello", *, finish: str = "stop", status: int = 200, **more: Any) -> Act:
    body = {
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        **more,
    }
    return raw(json.dumps(body).encode(), status=status)


def raw(body: bytes, *, status: int = 200, **headers: str) -> Act:
    def act(handler: "Handler") -> None:
        handler.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return act


def refusal(status: int, message: str = "no", **headers: str) -> Act:
    return raw(json.dumps({"error": {"message": message}}).encode(), status=status, **headers)


def reset(handler: "Handler") -> None:
    """Promise a hundred bytes, send ten, and break the connection."""
    handler.send_response(200)
    handler.send_header("content-length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"choices"')
    handler.wfile.flush()
    linger = b"\x01\x00\x00\x00\x00\x00\x00\x00"  # close with a reset
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.connection.close()


def drip(handler: "Handler") -> None:
    """A byte every tenth of a second, for ever."""
    handler.send_response(200)
    handler.send_header("content-length", "100000")
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)


def silence(handler: "Handler") -> None:
    time.sleep(3)


class Handler(BaseHTTPRequestHandler):
    server: "Server"

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        self.server.seen.append((dict(self.headers), json.loads(self.rfile.read(length))))
        act = self.server.script[min(len(self.server.seen), len(self.server.script)) - 1]
        try:
            act(self)
        except OSError:
            self.close_connection = True  # the client has gone away, as some tests want

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (their name)
        return


class Server(ThreadingHTTPServer):
    daemon_threads = True
    script: tuple[Act, ...] = ()

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[dict[str, str], dict[str, Any]]] = []

    def handle_error(self, request: object, client_address: object) -> None:
        return


@contextmanager
def serving(*script: Act) -> Iterator[tuple[Server, str]]:
    with Server() as server:
        server.script = script
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server, f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join(10)


def ask(
    url: str, *, patience: Patience = QUICK, key: str = KEY, request: Request = REQUEST
) -> Reply:
    model = OpenAICompatible("local/m", "m", own(url), key=key, patience=patience)
    try:
        return model.answer(request)
    finally:
        model.close()


def test_a_call_and_its_reply() -> None:
    with serving(answer("Hello", finish="stop")) as (server, url):
        reply = ask(url)
    assert (reply.text, reply.finish, reply.input_tokens, reply.output_tokens) == (
        "Hello",
        "stop",
        7,
        3,
    )
    assert reply.seconds > 0
    headers, body = server.seen[0]
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "temperature": 0,
    }


def test_without_a_key_none_is_sent() -> None:
    with serving(answer()) as (server, url):
        ask(url, key="")
    assert "authorization" not in server.seen[0][0]


PASSING: dict[str, Act] = {
    "429": refusal(429),
    "408": refusal(408),
    "409": refusal(409),
    "500": refusal(500),
    "503": raw(b"<html>busy</html>", status=503),
    "reset in the body": reset,
    "invalid JSON": raw(b'{"choices": ['),
    "JSON of another kind": raw(b"[1]"),
    "no choices": raw(b'{"choices": []}'),
    "an error with status 200": raw(b'{"error": {"message": "overloaded"}}'),
    "an empty text": answer(""),
    "no text": answer(None),
}


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_may_pass_is_tried_again(fault: str) -> None:
    with serving(PASSING[fault], PASSING[fault], answer()) as (server, url):
        assert ask(url).text == "Hello"
    assert len(server.seen) == 3


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_does_not_pass_is_an_error_and_never_an_empty_answer(fault: str) -> None:
    with serving(PASSING[fault]) as (server, url), pytest.raises(ModelError) as caught:
        ask(url)
    assert len(server.seen) == QUICK.attempts
    assert "no answer after 4 attempts" in str(caught.value)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_final_refusal_is_not_tried_again(status: int) -> None:
    with (
        serving(refusal(status, "maximum context length is 8192 tokens")) as (server, url),
        pytest.raises(ModelError) as caught,
    ):
        ask(url)
    assert len(server.seen) == 1
    assert f"HTTP {status}: maximum context length" in str(caught.value)


def test_credit_that_is_used_up_is_final() -> None:
    body = b'{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}'
    with serving(raw(body, status=429)) as (server, url), pytest.raises(ModelError):
        ask(url)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [("0.2", 0.2, 0.6), ("9999", 0.3, 0.9), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0, 0.3)],
)
def test_retry_after_is_obeyed_up_to_a_bound(header: str, least: float, most: float) -> None:
    with serving(refusal(429, retry_after=header), answer()) as (_, url):
        started = time.monotonic()
        ask(url)
    assert least <= time.monotonic() - started < most


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_a_text_that_was_cut_off_or_withheld_says_so(finish: str) -> None:
    with serving(answer("", finish=finish)) as (_, url):
        reply = ask(url)
    assert (reply.text, reply.finish) == ("", finish)


def test_text_in_parts_refusals_and_unknown_usage() -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]
    with serving(answer(parts, usage=None)) as (_, url):
        reply = ask(url)
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("Hello", None, None)
    choice = {"message": {"content": None, "refusal": "I will not"}, "finish_reason": "stop"}
    with serving(answer(choices=[choice])) as (_, url):
        assert ask(url).finish == "refusal"


def test_a_model_that_is_stopped_does_not_wait_to_try_again() -> None:
    patience = replace(QUICK, longest_wait=60.0)
    with serving(refusal(429, retry_after="50")) as (server, url):
        model = OpenAICompatible("local/m", "m", own(url), patience=patience)
        failed: list[ModelError] = []

        def wait() -> None:
            try:
                model.answer(REQUEST)
            except ModelError as error:
                failed.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        end = time.monotonic() + 10
        while not server.seen and time.monotonic() < end:
            time.sleep(0.01)
        model.stop()
        thread.join(10)
        assert "no answer after 1 attempts: HTTP 429" in str(failed[0])
        model.close()


def test_the_bound_on_an_answer_is_named_as_the_server_wants_it() -> None:
    with serving(answer()) as (server, url):
        endpoint = replace(own(url), length_parameter="max_completion_tokens")
        model = OpenAICompatible("openai/m", "m", endpoint, patience=QUICK)
        model.answer(Request("openai/m", REQUEST.messages, {"max_tokens": 9, "top_p": 1}))
        model.close()
    assert {name: server.seen[0][1].get(name) for name in ("max_completion_tokens", "top_p")} == {
        "max_completion_tokens": 9,
        "top_p": 1,
    }
    assert "max_tokens" not in server.seen[0][1]


def test_models_of_one_server_share_its_gate() -> None:
    assert throttle_of("http://127.0.0.1:1", 4) is throttle_of("http://127.0.0.1:1", 4)
    assert throttle_of("http://127.0.0.1:1", 4) is not throttle_of("http://127.0.0.1:2", 4)


def test_tools_are_sent_and_their_calls_come_back() -> None:
    tool = Tool("read", "A file.", {"type": "object", "properties": {"path": {"type": "string"}}})
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choices = [{"message": message, "finish_reason": "tool_calls"}]
    chat = (
        Message("user", "Hi"),
        Message("assistant", "", (ToolCall("c0", "read", "{}"),)),
        Message("tool", "text", call_id="c0"),
    )
    with serving(answer(choices=choices)) as (server, url):
        reply = ask(url, request=Request("local/m", chat, tools=(tool,)))
    assert (reply.text, reply.finish) == ("", "tool_calls")
    assert reply.calls == (ToolCall("c1", "read", "{}"),)
    assert reply_of(json.loads(json.dumps(reply.row()))) == reply
    body = server.seen[0][1]
    assert body["tools"][0]["function"]["name"] == "read"
    assert body["messages"][1]["tool_calls"][0]["id"] == "c0"
    assert body["messages"][2] == {"role": "tool", "content": "text", "tool_call_id": "c0"}
    assert [message_of(row) for row in body["messages"]] == list(chat)


@pytest.mark.parametrize("slow", [silence, drip])
def test_an_answer_that_does_not_come_is_given_up(slow: Act) -> None:
    patience = Patience(attempts=2, first_wait=0.01, seconds=0.4)
    started = time.monotonic()
    with serving(slow) as (server, url), pytest.raises(ModelError):
        ask(url, patience=patience)
    assert time.monotonic() - started < 8
    assert len(server.seen) == 2


def test_an_answer_without_end_is_not_read_to_its_end() -> None:
    patience = Patience(attempts=2, first_wait=0.01, seconds=5, most_bytes=100_000)
    with serving(answer("x" * 1_000_000)) as (server, url), pytest.raises(ModelError) as caught:
        ask(url, patience=patience)
    assert len(server.seen) == 1
    assert "larger than" in str(caught.value)


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ModelError, match="ConnectError"):
        ask(url)


@pytest.mark.parametrize(
    "said",
    [f"Incorrect API key provided: {KEY}", "Incorrect API key provided: sk-te***********cdef"],
)
def test_the_key_is_in_no_error_and_no_representation(said: str) -> None:
    for act in (refusal(401, said), refusal(500, said), raw(said.encode(), status=503)):
        with serving(act) as (_, url), pytest.raises(ModelError) as caught:
            ask(url)
        told = "".join(traceback.format_exception(caught.value))
        assert KEY not in told
        assert "sk-te" not in told
    model = OpenAICompatible("local/m", "m", own("http://127.0.0.1:9/v1"), key=KEY)
    assert KEY not in repr(model)


def test_a_provider_that_refuses_is_asked_less_at_once() -> None:
    throttle = Throttle(most=8)
    for _ in range(2):
        throttle.narrow()
    assert throttle.width == 2
    for _ in range(100):
        throttle.widen()
    assert throttle.width == 8


@dataclass
class Inside:
    now: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def test_no_more_than_the_width_are_inside() -> None:
    throttle, inside = Throttle(most=3), Inside()

    def enter() -> None:
        with throttle:
            with inside.lock:
                inside.now += 1
                inside.most = max(inside.most, inside.now)
            time.sleep(0.005)
            with inside.lock:
                inside.now -= 1

    threads = [threading.Thread(target=enter) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert (inside.most, inside.now) == (3, 0)
