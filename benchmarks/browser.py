"""Drive a headless Chromium through chromedriver, which speaks WebDriver (JSON over HTTP).

Source: W3C WebDriver (wire format, keys), and chromedriver's own way to the DevTools protocol
(`goog/cdp/execute`).
"""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from benchmarks.measure import BenchmarkError

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "ArrowDown": "\ue015", "ArrowUp": "\ue013"}
# Beginning takes two seconds on a machine that is busy, and nothing else should take one.
TIMEOUT_S = 60.0


class Browser:
    """One browser with one page."""

    def __init__(self, folder: Path) -> None:
        """Begin, with a profile of its own in an empty folder.

        Raises:
            BenchmarkError: There is no Chromium or no driver of it, or it does not answer.
        """
        if not (CHROMIUM and DRIVER):
            raise BenchmarkError("no chromium or no chromedriver here (Debian: chromium, chromium-driver)")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        self._driver = subprocess.Popen(
            [str(DRIVER), f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._url = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio"]
        arguments += [f"--user-data-dir={folder}", "--no-first-run", "--disable-background-networking", "about:blank"]
        options = {"binary": CHROMIUM, "args": arguments}
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        self._wait()
        made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{made['sessionId']}"

    def _wait(self) -> None:
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            try:
                if self._ask("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.05)
        raise BenchmarkError("chromedriver does not answer")

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as err:
            raise BenchmarkError(json.loads(err.read())["value"]["message"]) from err

    def close(self) -> None:
        """End the browser and its driver."""
        try:
            self._ask("DELETE", self._session)
        finally:
            self._driver.terminate()
            self._driver.wait(10)

    def open(self, page: Path | str, fragment: str = "") -> None:
        """Load a page from disk, or from an address, from nothing."""
        self.cdp("Page.navigate", url="about:blank")
        self._ask(
            "POST", f"{self._session}/url", {"url": (page if isinstance(page, str) else page.as_uri()) + fragment}
        )
        # A window that nobody looks at has no focus, and what is typed there may go nowhere.
        self.cdp("Emulation.setFocusEmulationEnabled", enabled=True)
        self.cdp("Page.bringToFront")
        end = time.monotonic() + TIMEOUT_S
        while not self.js("return document.hasFocus()") and time.monotonic() < end:
            time.sleep(0.01)

    def js(self, script: str, *args: Any) -> Any:
        """Run the body of a function in the page and return what it returns; a promise is waited for."""
        return self._ask("POST", f"{self._session}/execute/sync", {"script": script, "args": list(args)})

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the focus is: names of ``KEYS``, or letters."""
        actions = [
            {"type": kind, "value": KEYS.get(key, key)}
            for word in keys
            for key in ([word] if word in KEYS else word)
            for kind in ("keyDown", "keyUp")
        ]
        body = {"actions": [{"type": "key", "id": "keys", "actions": actions}]}
        self._ask("POST", f"{self._session}/actions", body)

    def cdp(self, command: str, **params: Any) -> Any:
        """Ask by the DevTools protocol."""
        return self._ask("POST", f"{self._session}/goog/cdp/execute", {"cmd": command, "params": params})

    def screen(self, width: int, height: int, *, dark: bool = False) -> None:
        """Be a screen of so many pixels, that of a phone where it is narrow."""
        self.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", features=[scheme, {"name": "prefers-reduced-motion", "value": "reduce"}])

    def picture(self, file: Path) -> None:
        """Write what is seen now as PNG."""
        shot = self.cdp("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(shot["data"]))

    def complaints(self) -> list[str]:
        """Return what the console has said since this was asked last."""
        return [row["message"] for row in self._ask("POST", f"{self._session}/se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """Return every address that was asked for since this was asked last, but those of the page itself."""
        rows = self._ask("POST", f"{self._session}/se/log", {"type": "performance"})
        lines = [json.loads(row["message"])["message"] for row in rows]
        sent = [one["params"]["request"]["url"] for one in lines if one["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith(("file:", "about:", "data:", "chrome"))]
