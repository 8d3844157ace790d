"""Drives headless Chromium through its DevTools protocol, over a pipe: JSON messages that end in NUL.

    with Chrome() as page:
        page.open('/tmp/graph.svg', 1200, 800)
        page.evaluate('document.title')
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import urllib.request

FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking',
         '--disable-component-update', '--disable-sync', '--disable-extensions', '--no-first-run',
         '--disable-dev-shm-usage', '--hide-scrollbars', '--remote-debugging-pipe']
PATIENCE = 60  # seconds for an answer


def find():
    return next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)


class Chrome:
    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        to_read, self.to_chrome = os.pipe()
        self.from_chrome, to_write = os.pipe()

        def connect():  # Chromium reads descriptor 3 and writes to 4
            kept = os.dup(to_read), os.dup(to_write)
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.process = subprocess.Popen(
            [find(), *FLAGS, f'--user-data-dir={self.folder}', 'about:blank'],
            preexec_fn=connect, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, close_fds=False, env={**os.environ, 'HOME': self.folder})
        os.close(to_read)
        os.close(to_write)
        self.number, self.session, self.rest, self.errors = 0, None, b'', []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log'):
            self.call(domain + '.enable')
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        """The next message, which may be an event."""
        end = time.monotonic() + PATIENCE
        while b'\0' not in self.rest:
            if not select.select([self.from_chrome], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError('no answer from Chromium')
            part = os.read(self.from_chrome, 1 << 20)
            if not part:
                raise RuntimeError('Chromium ended')
            self.rest += part
        line, _, self.rest = self.rest.partition(b'\0')
        message = json.loads(line)
        method, facts = message.get('method'), message.get('params', {})
        if method == 'Runtime.exceptionThrown':
            self.errors.append(json.dumps(facts['exceptionDetails'])[:2000])
        elif method == 'Log.entryAdded' and facts['entry']['level'] == 'error':
            self.errors.append(facts['entry']['text'])
        return message

    def call(self, method, **parameters):
        self.number += 1
        request = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            request['sessionId'] = self.session
        data = json.dumps(request).encode() + b'\0'
        while data:
            data = data[os.write(self.to_chrome, data):]
        while True:
            message = self.message()
            if message.get('id') == self.number:
                if 'error' in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message['result']

    def resize(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')

    def open(self, path, width=1200, height=800, dark=False, script=True):
        """Loads a file, and forgets earlier errors."""
        self.errors.clear()
        self.call('Emulation.setScriptExecutionDisabled', value=not script)
        self.call('Emulation.setEmulatedMedia',
                  features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call('Page.navigate', url='file://' + urllib.request.pathname2url(os.path.abspath(path)))
        while self.message().get('method') != 'Page.loadEventFired':
            pass

    def evaluate(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True,
                           awaitPromise=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(json.dumps(result['exceptionDetails'])[:2000])
        return result['result'].get('value')

    def click(self, x, y):
        for kind in ('mouseMoved', 'mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y,
                      button='none' if kind == 'mouseMoved' else 'left', clickCount=1)

    def hover(self, x, y):
        self.call('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)

    def key(self, name, text=''):
        codes = {'Tab': 9, 'Enter': 13, 'Escape': 27, 'ArrowLeft': 37, 'ArrowUp': 38,
                 'ArrowRight': 39, 'ArrowDown': 40, 'Home': 36}
        facts = {'key': name, 'code': name, 'windowsVirtualKeyCode': codes.get(name, 0)}
        if name == 'Enter':
            text = '\r'
        self.call('Input.dispatchKeyEvent', type='keyDown' if text else 'rawKeyDown', text=text, **facts)
        self.call('Input.dispatchKeyEvent', type='keyUp', **facts)

    def type(self, text):
        self.call('Input.insertText', text=text)

    def picture(self, path):
        data = self.call('Page.captureScreenshot', format='png')['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))
